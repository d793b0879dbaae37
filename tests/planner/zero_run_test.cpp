// Rows of predictions worked out by hand. Against what real runs count, over every two options:
// tests/train/proof_test.cpp.
#include "catch.h"
#include "ringside/ledger/ledger.h"
#include "ringside/planner/classifier_layers.h"
#include "ringside/planner/zero_plan.h"

using namespace ringside;

TEST_CASE("where everything divides there is no reason, and the formulas of the plan are the rows") {
  struct Case {
    int stage = 0;
    int64_t replicas = 1;
    bool no_sync = false;
  };
  const Case cases[] = {{0}, {1}, {2}, {3}, {1, 2}, {2, 4}, {3, 2}, {3, 4}, {2, 1, true}, {3, 2, true}};
  for (const auto& [stage, replicas, no_sync] : cases) {
    ZeroRunSetup run;
    run.replicas = replicas;
    run.no_sync = no_sync;
    run.shapes = classifier_shapes({});
    run.ranks = 4;
    run.stage = stage;
    run.accumulate = 2;
    run.steps = 5;
    ZeroSetup plan;
    plan.parameters = static_cast<double>(count_parameters(run.shapes));
    plan.ranks = run.ranks;
    plan.stage = stage;
    plan.accumulate = run.accumulate;
    plan.replicas = replicas;
    plan.no_sync = no_sync;
    plan.precision = run.precision = Precision::kFloat32;
    int64_t state = 0;
    int64_t sent = 0;
    for (const LedgerRow& row : predict_zero_run(run)) {
      INFO("stage " << stage << ", " << replicas << " replicas, " << row.category);
      CHECK(row.reasons.empty());
      const bool of_state = row.category.starts_with("gradients") || row.category == "parameters";
      if (row.rank == 1 && row.at == (no_sync ? kBetweenMicroBatches : kStepEntry)) state += *row.predicted;
      if (row.rank == 1 && of_state && !row.op.empty()) sent += *row.predicted;
    }
    CHECK(static_cast<double>(state) == zero_state(plan).total());
    CHECK(static_cast<double>(sent) == 4 * 5 * zero_traffic(plan).total());
  }
}

TEST_CASE("padding is a reason with bytes of its own, not part of the prediction") {
  ZeroRunSetup setup;
  setup.shapes = {{"a", 0, {10}, true}};  // padded to 12 at N=4
  setup.ranks = 4;
  setup.stage = 3;
  setup.precision = Precision::kFloat32;
  setup.steps = 1;
  for (const LedgerRow& row : predict_zero_run(setup)) {
    if (row.at == kAfterStep && row.category == "gradients") {
      CHECK(*row.predicted == 10);  // 4 bytes x 10 / 4
      REQUIRE(row.reasons.size() == 1);
      CHECK(row.reasons[0].name == "padding");
      CHECK(row.reasons[0].bytes == 2);
    }
    if (row.category == "parameters" && row.op == "all_gather") {
      CHECK(*row.predicted == 60);  // 2 gathers x 3/4 x 40 bytes
      REQUIRE(row.reasons.size() == 1);
      CHECK(row.reasons[0].bytes == 12);
    }
  }
}

TEST_CASE("an all-reduce that does not divide is uneven, not padded") {
  ZeroRunSetup setup;
  setup.shapes = {{"a", 0, {10}, true}};  // chunks of 2, 3, 2, 3
  setup.ranks = 4;
  setup.precision = Precision::kFloat32;
  setup.steps = 1;
  const int64_t uneven[] = {-4, 4, -4, 4};  // 2 (c_r - 2.5) elements of 4 bytes
  for (const LedgerRow& row : predict_zero_run(setup)) {
    if (row.category != "gradients" || row.op != "all_reduce") continue;
    CHECK(*row.predicted == 60);
    REQUIRE(row.reasons.size() == 1);
    CHECK(row.reasons[0].name == "uneven chunks");
    CHECK(row.reasons[0].bytes == uneven[row.rank]);
  }
}
