// The double-entry ledger of real runs: what the planner predicts from the configuration is what the
// allocator and the process group counted, to the byte.
#include "catch.h"
#include "tiny_training.h"

using namespace ringside;
using namespace ringside::testing;

namespace {

void check_settled(const TrainerConfig& config, const Dataset& data) {
  INFO(describe(config));
  const Audit run = audit(config, data);
  CHECK(run.ledger_problem() == "");
  CHECK(run.result.ranks_agree);
  CHECK(run.result.complete);
  if (config.evaluate_every >= 0) CHECK(run.result.evaluated == 7);
}

const LedgerRow& row(const Audit& run, int rank, const std::string& category, const std::string& at_or_op) {
  for (const LedgerRow& row : run.ledger) {
    if (row.rank == rank && row.category == category && row.at + row.op == at_or_op) return row;
  }
  FAIL("no row " << category << " " << at_or_op);
  throw 0;
}

}  // namespace

TEST_CASE("every mix of ranks, stage and precision: no unexplained byte, one hash", "[long]") {
  const Dataset data = tiny_data();
  for (int ranks = 1; ranks <= 8; ++ranks) {
    for (const int stage : {0, 1, 2, 3}) {
      for (const Precision precision : {Precision::kFloat32, Precision::kBFloat16}) {
        TrainerConfig config = tiny_config(ranks, stage);
        config.precision = precision;
        config.accumulate = 2;
        config.steps = 2;
        config.evaluate_every = 1;
        check_settled(config, data);
      }
    }
  }
}

TEST_CASE("every option keeps the ledger settled in every stage") {
  const Dataset data = tiny_data();
  TrainerConfig config = tiny_config(3, 0);
  config.evaluate_every = 0;
  SECTION("frozen embedding") { config.model.freeze_embedding = true; }
  SECTION("frozen embedding and accumulation") {
    config.model.freeze_embedding = true;
    config.accumulate = 3;
  }
  SECTION("reduce=all_reduce with accumulation") {
    config.reduce = ReduceMode::kAllReduce;
    config.accumulate = 3;
  }
  SECTION("no clipping") { config.clip_norm = 0; }
  for (const OptimizerSpec& spec : optimizer_specs()) {
    if (spec.granularity != Granularity::kElement) continue;
    SECTION(spec.title) { config.optimizer.name = spec.name; }
  }
  SECTION("SGD without momentum") { config.optimizer = {.name = "sgd", .values = {{"momentum", 0}}}; }
  SECTION("buckets of one element on eight ranks: shards of padding alone") {
    config.bucket_elements = 1;
    config.ranks = 8;
  }
  SECTION("one bucket for all") { config.bucket_elements = 1 << 20; }
  SECTION("nothing ahead of time") { config.overlap = config.prefetch = false; }
  SECTION("kept from forward to backward") { config.reshard = false; }
  SECTION("kept, with a frozen embedding and accumulation") {
    config.reshard = config.prefetch = false;
    config.model.freeze_embedding = true;
    config.accumulate = 3;
  }
  SECTION("a batch smaller than the ranks") { config.batch = 1; }
  SECTION("never evaluated") { config.evaluate_every = -1; }
  for (const int stage : {0, 1, 2, 3}) {
    config.stage = stage;
    check_settled(config, data);
  }
}

TEST_CASE("the naive version sends the same bytes, in one collective a parameter") {
  const Dataset data = tiny_data();
  TrainerConfig config = tiny_config(2, 0);
  config.naive = true;
  check_settled(config, data);
}

TEST_CASE("a difference from the even formula is a reason with its bytes, not a correction") {
  const Dataset data = tiny_data();
  TrainerConfig config = tiny_config(8, 1);
  config.bucket_elements = 1;
  const Audit run = audit(config, data);
  const LedgerRow& optimizer = row(run, 0, "optimizer", kAfterStep);
  REQUIRE(optimizer.reasons.size() == 1);
  CHECK(optimizer.reasons[0].name == "padding");
  CHECK(optimizer.counted == *optimizer.predicted + optimizer.reasons[0].bytes);
}

TEST_CASE("a gradient's own bytes are gradients from its arrival on, beside the bucket it is added to") {
  const Audit run = audit(tiny_config(3, 2), tiny_data());
  const int64_t embedding = 259 * 12 * 4;
  CHECK(row(run, 2, "gradients", kPeak).counted >=
        row(run, 2, "gradients", kStepEntry).counted + 2 * embedding);
}

TEST_CASE("activations and buffers are counted, and gone when the run is over") {
  const Dataset data = tiny_data();
  for (const int stage : {0, 3}) {
    const Audit run = audit(tiny_config(3, stage), data);
    CHECK(row(run, 1, "activations", kPeak).counted > 0);
    CHECK(row(run, 1, "buffers", kAfterConstruction).counted > 0);
    CHECK(row(run, 1, "other", kAfterStep).counted == 0);
    const Trace trace = run.store->snapshot();
    for (int rank = 0; rank < 3; ++rank) {
      for (const Category category : kCategories) {
        const auto events = trace.find("run")->memory(rank, category);
        INFO("rank " << rank << ", " << to_string(category));
        CHECK((events.empty() || events.back().live_bytes == 0));
      }
    }
  }
}
