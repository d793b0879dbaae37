// Rows of real runs' ledgers. That all of them add up, whatever the options: proof_test.cpp.
#include "catch.h"
#include "tiny_training.h"

using namespace ringside;
using namespace ringside::testing;

TEST_CASE("a difference from the even formula is a reason with its bytes, not a correction") {
  const Dataset data = tiny_data();
  TrainerConfig config = tiny_config(8, 1);
  config.bucket_elements = 1;
  const Audit run = audit(config, data);
  const LedgerRow& optimizer = row_of(run, 0, "optimizer", kAfterStep);
  REQUIRE(optimizer.reasons.size() == 1);
  CHECK(optimizer.reasons[0].name == "padding");
  CHECK(optimizer.counted == *optimizer.predicted + optimizer.reasons[0].bytes);
}

TEST_CASE("a gradient's own bytes are gradients from its arrival on, beside the bucket it is added to") {
  const Audit run = audit(tiny_config(3, 2), tiny_data());
  const int64_t embedding = 259 * 12 * 4;
  CHECK(row_of(run, 2, "gradients", kPeak).counted >=
        row_of(run, 2, "gradients", kStepEntry).counted + 2 * embedding);
}

TEST_CASE("activations and buffers are counted, and gone when the run is over") {
  const Dataset data = tiny_data();
  for (const int stage : {0, 3}) {
    const Audit run = audit(tiny_config(3, stage), data);
    CHECK(row_of(run, 1, "activations", kPeak).counted > 0);
    CHECK(row_of(run, 1, "buffers", kAfterConstruction).counted > 0);
    CHECK(row_of(run, 1, "other", kAfterStep).counted == 0);
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
