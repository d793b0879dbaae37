// A client's own parts in place of the trainer's: a model, an evaluation with its prediction, a loop.
#include "catch.h"
#include "ringside/nn/classifier.h"
#include "ringside/nn/evaluation.h"
#include "tiny_training.h"

using namespace ringside;
using namespace ringside::testing;

namespace {

// Adds up the scores as the trainer does, and sends each rank's number of samples to all before it.
class TellsItsShare final : public Evaluation {
 public:
  explicit TellsItsShare(bool announced) : announced_(announced) {}
  Score run(const HeldOut& held_out, int64_t) const override {
    double own = 0;
    for (int64_t b = 0; b < held_out.batches(); ++b) own += held_out.batch(b).weights.sum().item<float>();
    std::vector<double> all(static_cast<size_t>(held_out.group.size()));
    const MutableView to{all.data(), std::ssize(all), Dtype::kFloat64};
    held_out.group.all_gather({&own, 1, Dtype::kFloat64}, to, {"shares", ""})->wait();
    return add_up_scores(held_out);
  }
  void predict(int64_t evaluations, int64_t, RankRows& rows) const override {
    if (announced_) rows.all_gather("shares", evaluations * 8);
    rows.all_reduce("evaluation", evaluations, 3, Dtype::kFloat64);
  }

 private:
  bool announced_;
};

class CountsForwards final : public Classifier {
 public:
  CountsForwards(const TrainerConfig& config, int& forwards)
      : Classifier(config.model, config.max_tokens), forwards_(forwards) {}
  ModelOutput forward(const Batch& batch, const Context& context) override {
    ++forwards_;
    return Classifier::forward(batch, context);
  }

 private:
  int& forwards_;
};

TrainerConfig evaluating(int stage) {
  TrainerConfig config = tiny_config(3, stage);
  config.evaluate_every = 1;
  return config;
}

}  // namespace

TEST_CASE("an evaluation of one's own, with its rows: the same scores, and every byte explained") {
  for (const int stage : {0, 3}) {
    TrainerConfig config = evaluating(stage);
    const Audit usual = audit(config, tiny_data());
    config.evaluation = std::make_shared<TellsItsShare>(true);
    const Audit own = audit(config, tiny_data());
    CHECK(own.ledger_problem() == "");
    CHECK(own.result.evaluations == config.steps);
    CHECK(own.result.evaluation_loss == usual.result.evaluation_loss);
    CHECK(own.result.accuracy == usual.result.accuracy);
    config.evaluation = std::make_shared<TellsItsShare>(false);
    CHECK(audit(config, tiny_data()).unexplained() == 3 * config.steps * 2 * 8);
  }
}

TEST_CASE("a model of one's own is made on each rank, and is the one that is run") {
  TrainerConfig config = evaluating(2);
  const Audit usual = audit(config, tiny_data());
  std::vector<int> forwards(3);  // (rank)
  config.make_model = [&](int rank) {
    return std::make_unique<CountsForwards>(config, forwards[static_cast<size_t>(rank)]);
  };
  const Audit own = audit(config, tiny_data());
  CHECK(forwards == std::vector<int>(3, 3 + 3 * 2));  // steps, and evaluations of two batches
  CHECK(own.result.parameters_sha256 == usual.result.parameters_sha256);
}

TEST_CASE("the held-out loss is told after each evaluation, by one rank of them") {
  std::vector<std::pair<int64_t, double>> told;  // by step
  TrainerHooks hooks;
  hooks.on_evaluation = [&](RankLoop& loop, int64_t step, double loss) {
    CHECK(loop.rank() == 0);
    told.emplace_back(step, loss);
  };
  const Audit run = audit(evaluating(1), tiny_data(), hooks);
  REQUIRE(std::ssize(told) == run.result.evaluations);
  CHECK(told.front().first == 0);
  CHECK(told.back() == std::pair(run.result.steps - 1, run.result.evaluation_loss));
}

TEST_CASE("a loop of one's own decides when its rank evaluates") {
  TrainerConfig config = evaluating(1);
  config.steps = 4;
  config.evaluate_every = 2;
  TrainerHooks hooks;
  std::vector<bool> times(4);
  hooks.end_step = [&](RankLoop& loop, int64_t step) {
    if (loop.rank() == 0) times[static_cast<size_t>(step)] = loop.is_time_to_evaluate(step);
  };
  CHECK(audit(config, tiny_data(), hooks).result.evaluations == 1);  // the one at the end of the run
  CHECK(times == std::vector<bool>{false, true, false, false});
}
