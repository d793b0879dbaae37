// An optimizer that needs whole matrices, in a training. Where parameters lie in shards:
// sharded_updates_test.
#include <numeric>

#include "catch.h"
#include "tiny_training.h"

using namespace ringside;
using namespace ringside::testing;

namespace {

TrainerConfig muon_config(int ranks, int stage) {
  TrainerConfig config = tiny_config(ranks, stage);
  config.optimizer.name = "muon";
  config.steps = 6;
  return config;
}

}  // namespace

TEST_CASE("Muon has the emulation's bits and a settled ledger where every rank updates whole parameters") {
  const Dataset data = tiny_data();
  TrainerConfig config = muon_config(3, 0);
  SECTION("bucketed") {}
  SECTION("naive") { config.naive = true; }
  SECTION("small buckets") { config.bucket_elements = 1; }
  SECTION("one rank, stage 1") { config = muon_config(1, 1); }
  SECTION("one rank, stage 3") { config = muon_config(1, 3); }
  INFO(describe(config));
  const BitReference reference = reference_bits(config, data);
  const Audit run = audit(config, data, {}, &reference);
  CHECK(run.bit_problem() == "");
  CHECK(run.ledger_problem() == "");
}

TEST_CASE("Muon learns in bf16") {
  TrainerConfig config = muon_config(2, 0);
  config.precision = Precision::kBFloat16;
  config.learning_rate = 0.1;
  config.steps = 100;
  const TrainResult result = audit(config, tiny_data()).result;
  CHECK(result.ranks_agree);
  const double end = std::accumulate(result.loss.end() - 10, result.loss.end(), 0.0) / 10;
  CHECK(end < 0.6 * result.loss.front());
}
