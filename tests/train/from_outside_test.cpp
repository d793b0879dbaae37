// The trainer checked from outside: the same weights and batches in a plain loop on one model, with
// LibTorch's own AdamW and gradient clipping.
#include <torch/types.h>  // must come first: the next one relies on it

#include <torch/nn/utils/clip_grad.h>
#include <torch/optim/adamw.h>

#include "catch.h"
#include "ringside/data/sampler.h"
#include "ringside/nn/batch.h"
#include "ringside/nn/classifier.h"
#include "ringside/tensor/torch_adapter.h"
#include "rounding.h"
#include "tiny_training.h"

using namespace ringside;
using namespace ringside::testing;

namespace {

struct PlainRun {
  std::vector<double> loss, norm;  // (steps)
};

PlainRun train_plainly(const TrainerConfig& config, const Dataset& data) {
  Classifier model(config.model, config.max_tokens);
  ParameterSet& set = model.parameters();
  std::vector<at::Tensor> trained;
  for (size_t p = 0; p < set.shapes.size(); ++p) {
    set.leaves[p] = at::empty(set.shapes[p].shape);
    initialize(set.leaves[p], set.shapes[p], config.seed);
    if (set.shapes[p].trainable) trained.push_back(set.leaves[p].set_requires_grad(true));
  }
  torch::optim::AdamW optimizer(trained,
                                torch::optim::AdamWOptions(config.learning_rate)
                                    .weight_decay(make_optimizer(config.optimizer).value("weight_decay")));
  Sampler sampler(static_cast<int64_t>(data.train.size()), config.batch, config.accumulate, config.seed);
  Schedule schedule = config.schedule;
  schedule.total = config.steps;
  PlainRun run;
  for (int64_t step = 0; step < config.steps; ++step) {
    optimizer.zero_grad();
    double loss_sum = 0;
    for (int64_t micro = 0; micro < config.accumulate; ++micro) {
      const Batch batch = make_batch(data.train, sampler.indices(step, micro, 0, 1));
      const at::Tensor loss = weighted_loss(model.forward(batch, {}).logits, batch) /
                              static_cast<double>(config.batch * config.accumulate);
      loss.backward();
      loss_sum += loss.item<double>();
    }
    run.loss.push_back(loss_sum);
    run.norm.push_back(torch::nn::utils::clip_grad_norm_(trained, config.clip_norm));
    static_cast<torch::optim::AdamWOptions&>(optimizer.param_groups()[0].options())
        .lr(config.learning_rate * schedule_factor(schedule, step));
    optimizer.step();
  }
  return run;
}

void check_agreement(const TrainerConfig& config, const Dataset& data) {
  INFO(describe(config));
  const PlainRun plain = train_plainly(config, data);
  const TrainResult result = audit(config, data).result;
  // Of one step, forward and twice back; later steps do not blow it up.
  const double bound =
      rounding_bound(3 * classifier_roundings(config.model, config.max_tokens), plain.loss.front());
  for (size_t step = 0; step < plain.loss.size(); ++step) {
    INFO("step " << step);
    CHECK(std::abs(result.loss[step] - plain.loss[step]) < bound);
    CHECK(result.gradient_norm[step] == Approx(plain.norm[step]).epsilon(1e-4));
  }
  CHECK(plain.loss.back() < plain.loss.front());
}

}  // namespace

TEST_CASE("a plain loop with torch's AdamW has the same loss in every step, up to rounding") {
  const Dataset data = tiny_data();
  for (const auto& [ranks, stage] : std::vector<std::pair<int, int>>{{1, 0}, {2, 1}, {3, 2}, {2, 3}}) {
    TrainerConfig config = tiny_config(ranks, stage);
    config.steps = 12;
    config.schedule.warmup = 3;
    check_agreement(config, data);
    config.accumulate = 2;
    check_agreement(config, data);
  }
}
