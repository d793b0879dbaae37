// Owners of matrices, worked out by hand for three small parameters. What optimizers that are not elementwise
// exchange and keep, against what real runs count: tests/train/sharded_updates_test.cpp.
#include "ringside/planner/update_plan.h"

#include "catch.h"
#include "ringside/ledger/ledger.h"
#include "ringside/planner/zero_plan.h"

using namespace ringside;

namespace {

constexpr int kRanks = 4;

// One bucket of 104 elements, shards of 26: b lies in [0, 48), the norm in [48, 56), a in [56, 104).
const std::vector<ParameterShape> kShapes = {
    {"a.weight", 0, {8, 6}}, {"norm", 0, {8}}, {"b.weight", 0, {4, 12}}};

Distribution staged(int stage) { return {.stage = stage, .precision = Precision::kFloat32}; }

UpdatePlan plan_of(const std::string& optimizer, int stage = 1) {
  return {staged(stage), kRanks, {.name = optimizer}, kShapes};
}

// Of all ranks, as the ledger has it after a step.
int64_t predicted_optimizer_bytes(const ZeroRunSetup& setup) {
  int64_t bytes = 0;
  for (const LedgerRow& row : predict_zero_run(setup)) {
    if (row.category != "optimizer" || row.at != kAfterStep) continue;
    bytes += *row.predicted;
    for (const LedgerReason& reason : row.reasons) bytes += reason.bytes;
  }
  return bytes;
}

}  // namespace

TEST_CASE("the matrix with the most work goes to the first rank, the next to the one with the least") {
  const UpdatePlan plan = plan_of("muon");
  REQUIRE(plan.whole().size() == 2);  // b before a, as in the bucket; the norm is AdamW's
  CHECK(plan.whole()[0].parameter == 2);
  CHECK(plan.whole()[0].owner == 1);
  CHECK(plan.whole()[0].work == 5 * (2 * 4 * 4 * 12 + 4 * 4 * 4));
  CHECK(plan.whole()[1].owner == 0);
  CHECK(plan.whole()[1].work == 5 * (2 * 6 * 6 * 8 + 6 * 6 * 6));
  // Its parts of what others own, and of what it owns the others' parts.
  const int64_t sent[] = {26 + 48, 26, 22, 26};
  for (int rank = 0; rank < kRanks; ++rank) CHECK(plan.matrix_elements_sent(rank) == sent[rank]);
}

TEST_CASE("every optimizer's bytes: the plan at any scale is the ledger's prediction, under every stage") {
  for (const OptimizerSpec& spec : optimizer_specs()) {
    for (const Precision precision : {Precision::kFloat32, Precision::kBFloat16}) {
      for (int stage = 0; stage <= 3; ++stage) {
        INFO(spec.name << ", stage " << stage << ", " << to_string(precision));
        ZeroRunSetup run;
        static_cast<Distribution&>(run) = staged(stage);
        run.precision = precision;
        run.shapes = kShapes;
        run.ranks = kRanks;
        run.optimizer.name = spec.name;
        run.steps = 1;
        ZeroSetup plan;
        static_cast<Distribution&>(plan) = run;
        plan.parameters = 104;
        plan.ranks = kRanks;
        plan.optimizer = run.optimizer;
        plan.shapes = kShapes;
        CHECK(predicted_optimizer_bytes(run) == kRanks * zero_state(plan).optimizer);
      }
    }
  }
}

TEST_CASE("state by rows and columns without shapes is refused") {
  ZeroSetup plan;
  plan.parameters = 104;
  plan.optimizer.name = "adafactor";
  CHECK_THROWS_WITH(zero_state(plan), ContainsSubstring("keeps rows and columns of matrices"));
  CHECK(needs_shapes({.name = "adafactor"}));
  CHECK_FALSE(needs_shapes({.name = "lbfgs"}));
}
