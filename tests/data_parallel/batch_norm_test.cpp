// Batch norm that shares its statistics, in a distributed training: its own group beside the gradients'.
#include "ringside/nn/batch_norm.h"

#include "catch.h"
#include "ringside/data_parallel/strategy.h"
#include "toy_model.h"

using namespace ringside;
using namespace ringside::testing;

namespace {

constexpr int64_t kWidth = 6, kTokens = 3, kSteps = 5;

// tanh(batch norm(x W^T)) V^T
struct NormedModel {
  NormedModel() {
    Declaration model;
    model.begin_unit("in", "in.");
    in = model.add("weight", {kWidth, 2});
    norm.declare(model, "norm", kWidth);
    model.begin_unit("out", "out.");
    out = model.add("weight", {1, kWidth});
    set = ParameterSet::of(model);
    buffers = Buffers(model.buffers());
  }
  at::Tensor loss(const at::Tensor& x, const Context& context) const {
    UnitHooks& hooks = *context.hooks;
    hooks.before_forward(0);
    const at::Tensor h =
        hooks.after_forward(0, at::tanh(output_of(norm, set, buffers, at::linear(x, set[in]), context)));
    hooks.before_forward(1);
    return hooks.after_forward(1, at::linear(h, set[out])).pow(2).sum();
  }
  Parameter in, out;
  BatchNormLayer norm;
  ParameterSet set;
  Buffers buffers;
};

struct Trained {
  std::string bytes;  // of parameters and buffers
  at::Tensor weights;
};

// Rows of all ranks are those of one process: rank r has row r, and the last one what is left of four.
at::Tensor rows_of(int rank, int ranks, int64_t step) {
  const at::Tensor all = at::empty({4, kTokens, 2});
  RandomStream stream(3, "batch norm input", static_cast<uint64_t>(step));
  for (int64_t i = 0; i < all.numel(); ++i)
    all.data_ptr<float>()[i] = static_cast<float>(2 * stream.normal() + 1);
  return all.narrow(0, rank, rank + 1 == ranks ? 4 - rank : 1);
}

Trained train_rank(ProcessGroup& group, ProcessGroup* statistics) {
  NormedModel model;
  const auto optimizer = make_optimizer({});
  Distribution options;
  options.precision = Precision::kFloat32;
  options.bucket_elements = 1;
  const auto strategy = make_data_parallel({model.set, group, optimizer, options});
  strategy->load([&](size_t p, const at::Tensor& out) {
    initialize(out, model.set.shapes[p], 5);
    if (out.dim() == 2) out.mul_(20);
  });
  model.buffers.load(group);
  for (int64_t step = 0; step < kSteps; ++step) {
    const at::Tensor x = rows_of(group.rank(), group.size(), step);
    strategy->run_backward_of(
        step, [&] { return model.loss(x, {.hooks = strategy.get(), .statistics = statistics}); });
    strategy->step({.learning_rate = 0.02, .step = step + 1, .samples = 4});
  }
  Trained result;
  result.weights = at::cat({joined(model.set.leaves), joined(model.buffers.tensors())});
  append_bytes(result.bytes, result.weights);
  return result;
}

std::vector<Trained> train_ranks(int ranks, bool shared) {
  ThreadGroupOptions options;
  options.name = "norm";
  const auto statistics = make_thread_group(ranks, options);
  std::vector<Trained> results(static_cast<size_t>(ranks));
  on_ranks(ranks, [&](ProcessGroup& group) {
    use_one_thread();
    const auto rank = static_cast<size_t>(group.rank());
    results[rank] = train_rank(group, shared ? statistics[rank].get() : nullptr);
  });
  return results;
}

}  // namespace

TEST_CASE("with shared statistics N ranks train the model that one process trains; without, another one") {
  const Trained alone = train_ranks(1, false)[0];
  for (const int ranks : {2, 3, 4}) {
    INFO(ranks << " ranks");
    const std::vector<Trained> shared = train_ranks(ranks, true);
    for (const Trained& rank : shared) CHECK(rank.bytes == shared[0].bytes);
    const double scale = alone.weights.abs().max().item<double>();
    CHECK((shared[0].weights - alone.weights).abs().max().item<double>() < 1e-4 * scale);
    const std::vector<Trained> apart = train_ranks(ranks, false);
    CHECK((apart[0].weights - alone.weights).abs().max().item<double>() > 1e-2 * scale);
    CHECK(apart[0].bytes != apart[1].bytes);  // buffers that are each rank's own
  }
}
