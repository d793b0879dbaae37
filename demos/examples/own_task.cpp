// A Task of your own: a net learns y = sin(3 x0) - x1 from points, over four ranks, at stages 0 and 3 of
// ZeRO.
#include <cstdio>

#include "ringside/base/error.h"
#include "ringside/base/prepare_process.h"
#include "ringside/nn/model.h"
#include "ringside/nn/task.h"
#include "ringside/train/trainer.h"

using namespace ringside;
constexpr int64_t kPoints = 512, kHeldOut = 64, kWidth = 32;  // kWidth: of the hidden layer

struct Net final : Model {
  Parameter hidden, bias, out;
  ParameterSet set;
  Buffers none;
  Declaration declare() {
    Declaration net;
    net.begin_unit("net", "net.");
    hidden = net.add("hidden.weight", {kWidth, 2});
    bias = net.add("hidden.bias", {kWidth});
    out = net.add("out.weight", {1, kWidth});
    return net;
  }
  ParameterSet& parameters() override { return set; }
  Buffers& buffers() override { return none; }
  ModelOutput forward(const Batch& batch, const Context& context) override {
    if (context.hooks) context.hooks->before_forward(0);  // ZeRO-3 gathers the unit's parameters here
    ModelOutput output;
    output.logits = at::linear(at::tanh(at::linear(batch.beside[0], set[hidden], set[bias])), set[out]);
    if (context.hooks) output.logits = context.hooks->after_forward(0, output.logits);
    return output;
  }
};

struct Points final : Task {
  at::Tensor x = at::rand({kPoints + kHeldOut, 2}, at::detail::createCPUGenerator(1)) * 2 - 1;
  at::Tensor y = at::sin(3 * x.select(1, 0)) - x.select(1, 1);

  Declaration declare() const override { return Net().declare(); }
  int64_t count(Split split) const override { return split == Split::kTrain ? kPoints : kHeldOut; }
  std::unique_ptr<Model> make(const ModelSite&) const override {
    auto net = std::make_unique<Net>();
    net->set = ParameterSet::of(net->declare());
    return net;
  }
  Batch batch(Split split, const std::vector<int64_t>& samples, BatchShape at_least) const override {
    const int64_t rows = std::max<int64_t>({1, at_least.rows, std::ssize(samples)});
    at::Tensor at = at::zeros({rows}, at::kLong), weights = at::zeros({rows});
    for (int64_t row = 0; row < std::ssize(samples); ++row) {
      at[row] = samples[size_t(row)] + (split == Split::kTrain ? 0 : kPoints);
      weights[row] = 1;  // rows beyond the samples count for nothing
    }
    Batch batch{at.unsqueeze(1), at::zeros_like(at), at::zeros_like(at), weights};
    batch.beside = {x.index_select(0, at), y.index_select(0, at)};
    return batch;
  }
  at::Tensor loss(ModelOutput& output, const Batch& batch) const override {  // a sum over samples
    return ((output.logits.squeeze(1) - batch.beside[1]).square() * batch.weights).sum();
  }
  Score score(const ModelOutput& output, const Batch& batch) const override {
    ModelOutput copy = output;
    return {loss(copy, batch).item<double>(), 0, batch.weights.sum().item<double>()};
  }
};

int main() try {
  prepare_process();
  for (const int stage : {0, 3}) {
    TrainingConfig config;
    config.stage = stage, config.precision = Precision::kFloat32, config.batch = 64;
    config.steps = 300, config.learning_rate = 1e-2;  // over four ranks
    const TrainResult result = train(config, Points(), *TraceStore::create("own_task"), "points");
    std::printf("stage %d  loss %.4f -> %.4f, held out %.4f  parameters %s\n", stage, result.loss.front(),
                result.loss.back(), result.evaluation_loss, result.parameters_sha256.c_str());
  }
} catch (const Error& error) {
  std::fprintf(stderr, "own_task: %s\n", error.what());
  return int(error.code());
}
