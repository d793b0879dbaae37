// The proof matrix: data parallelism and ZeRO 1, 2, 3 have the bits of one process that emulates the
// ranks, after every step. fp32, clipping on, shards and batches that do not divide.
#include "catch.h"
#include "tiny_training.h"
#include "without_decay.h"

using namespace ringside;
using namespace ringside::testing;

namespace {

constexpr int64_t kMatrixSteps = 20;

void check_bits(const TrainerConfig& config, const Dataset& data, const BitReference& reference) {
  INFO(describe(config));
  const Audit run = audit(config, data, {}, &reference);
  CHECK(run.bit_problem() == "");
  CHECK(run.ledger_problem() == "");
  CHECK(run.result.ranks_agree);
}

}  // namespace

TEST_CASE("the stages in every variant have the emulation's bits after each of 20 steps", "[long]") {
  const Dataset data = tiny_data();
  for (const int ranks : {1, 2, 3}) {
    TrainerConfig config = tiny_config(ranks, 0);
    config.steps = kMatrixSteps;
    const BitReference reference = reference_bits(config, data);
    for (const int stage : {0, 1, 2, 3}) {
      config.stage = stage;
      for (const int64_t bucket : {int64_t{1}, int64_t{500}, int64_t{1} << 18}) {
        config.bucket_elements = bucket;
        for (const bool eager : {true, false}) {
          config.overlap = config.prefetch = eager;
          check_bits(config, data, reference);
        }
      }
    }
    config.stage = 0;
    config.naive = true;
    check_bits(config, data, reference);
  }
}

TEST_CASE("four and eight ranks have the emulation's bits too", "[long]") {
  const Dataset data = tiny_data();
  for (const int ranks : {4, 8}) {
    TrainerConfig config = tiny_config(ranks, 0);
    config.steps = kMatrixSteps;
    const BitReference reference = reference_bits(config, data);
    for (const int stage : {0, 1, 2, 3}) {
      config.stage = stage;
      config.overlap = !config.overlap;
      config.bucket_elements = config.overlap ? 500 : 1;
      check_bits(config, data, reference);
    }
  }
}

TEST_CASE("with accumulation {0, 1} have the one order's bits, {2, 3} the other's, and the orders differ") {
  const Dataset data = tiny_data();
  TrainerConfig config = tiny_config(3, 0);
  config.accumulate = 3;
  config.steps = 6;
  const BitReference add_first = reference_bits(config, data, SumOrder::kAccumulateThenReduce);
  const BitReference reduce_first = reference_bits(config, data, SumOrder::kReduceThenAccumulate);
  for (const int stage : {0, 1, 2, 3}) {
    config.stage = stage;
    check_bits(config, data, stage < 2 ? add_first : reduce_first);
    const Audit other = audit(config, data, {}, stage < 2 ? &reduce_first : &add_first);
    REQUIRE(other.difference);
    CHECK(other.difference->distance > 0);
    CHECK(other.difference->distance < config.learning_rate);  // what one step of Adam may move at most
  }
}

TEST_CASE(
    "a frozen embedding, reduce=all_reduce, no clipping and every elementwise optimizer leave the bits "
    "alone") {
  const Dataset data = tiny_data();
  TrainerConfig config = tiny_config(3, 0);
  SECTION("frozen embedding") { config.model.freeze_embedding = true; }
  SECTION("reduce=all_reduce") { config.reduce = ReduceMode::kAllReduce; }
  SECTION("no clipping") { config.clip_norm = 0; }
  SECTION("no weight decay on norms and biases") { config.optimizer.groups = {without_decay()}; }
  for (const OptimizerSpec& spec : optimizer_specs()) {
    if (spec.granularity != Granularity::kElement) continue;
    SECTION(spec.title) { config.optimizer.name = spec.name; }
  }
  config.steps = 6;
  const BitReference reference = reference_bits(config, data);
  for (const int stage : {0, 1, 2, 3}) {
    config.stage = stage;
    check_bits(config, data, reference);
  }
}

TEST_CASE("bf16: the stages agree with each other in every bit of the result") {
  const Dataset data = tiny_data();
  for (const int ranks : {2, 3, 8}) {
    TrainerConfig config = tiny_config(ranks, 0);
    config.precision = Precision::kBFloat16;
    config.steps = 8;
    const std::string expected = audit(config, data).result.parameters_sha256;
    for (const int stage : {1, 2, 3}) {
      config.stage = stage;
      INFO(describe(config));
      CHECK(audit(config, data).result.parameters_sha256 == expected);
    }
  }
}

TEST_CASE("the emulation's hash is the trainer's") {
  const Dataset data = tiny_data();
  const TrainerConfig config = tiny_config(2, 3);
  const EmulationResult alone = emulate(config, data, SumOrder::kReduceThenAccumulate);
  const TrainResult result = audit(config, data).result;
  CHECK(result.parameters_sha256 == alone.parameters_sha256);
  REQUIRE(alone.loss.size() == result.loss.size());
  for (size_t step = 0; step < alone.loss.size(); ++step)
    CHECK(result.loss[step] == Approx(alone.loss[step]).epsilon(1e-12));
}
