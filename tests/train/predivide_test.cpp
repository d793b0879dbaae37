// Gradients that are divided by N before they are added: DeepSpeed's prescale_gradients, and what
// DistributedDataParallel does. The same training, with roundings in other places.
#include "catch.h"
#include "tiny_training.h"

using namespace ringside;
using namespace ringside::testing;

namespace {

TrainerConfig predivided(int ranks, int stage, int64_t accumulate) {
  TrainerConfig config = tiny_config(ranks, stage);
  config.predivide = true;
  config.accumulate = accumulate;
  return config;
}

}  // namespace

TEST_CASE("predivided in every stage: the bits of one process that divides as early, and the same bytes") {
  const Dataset data = tiny_data();
  for (const int ranks : {2, 3}) {
    for (const int64_t accumulate : {1, 3}) {
      for (int stage = 0; stage <= 3; ++stage) {
        const TrainerConfig config = predivided(ranks, stage, accumulate);
        INFO(describe(config));
        const SumOrder order = stage < 2 ? SumOrder::kAccumulateThenReduce : SumOrder::kReduceThenAccumulate;
        const BitReference reference = reference_bits(config, data, order);
        const Audit run = audit(config, data, {}, &reference);
        CHECK(run.bit_problem() == "");
        CHECK(run.ledger_problem() == "");
      }
    }
  }
}

TEST_CASE("predivided and naive, without overlap, by all-reduce: each gradient is divided once") {
  const Dataset data = tiny_data();
  TrainerConfig config = predivided(3, 0, 1);
  SECTION("naive") { config.naive = true; }
  SECTION("one after the other") { config.overlap = false; }
  SECTION("stage 2 by all-reduce") {
    config.stage = 2;
    config.reduce = ReduceMode::kAllReduce;
  }
  SECTION("without clipping") { config.clip_norm = 0; }
  const BitReference reference = reference_bits(config, data);
  CHECK(audit(config, data, {}, &reference).bit_problem() == "");
}

TEST_CASE("a division by two rounds nothing, one by three does") {
  const Dataset data = tiny_data();
  for (const int ranks : {2, 3}) {
    TrainerConfig config = predivided(ranks, 1, 1);
    const TrainResult early = audit(config, data).result;
    config.predivide = false;
    const TrainResult late = audit(config, data).result;
    INFO(ranks << " ranks");
    CHECK((early.parameters_sha256 == late.parameters_sha256) == (ranks == 2));
    for (size_t step = 0; step < late.loss.size(); ++step)
      CHECK(early.loss[step] == Approx(late.loss[step]).epsilon(1e-4));
  }
}
