#include "ringside/planner/zero_plan.h"

#include "catch.h"
#include "ringside/base/error.h"

using namespace ringside;

namespace {

ZeroSetup setup_of(double parameters, int ranks, int stage, Precision precision = Precision::kBFloat16) {
  ZeroSetup setup;
  setup.parameters = parameters;
  setup.ranks = ranks;
  setup.stage = stage;
  setup.precision = precision;
  return setup;
}

}  // namespace

// Rajbhandari et al., figure 1: 7.5 billion parameters, 64 ranks, K = 12.
TEST_CASE("the paper's table of state per rank") {
  const double gigabytes[] = {120, 31.4, 16.6, 1.9};
  for (int stage = 0; stage <= 3; ++stage)
    CHECK(zero_state(setup_of(7.5e9, 64, stage)).total() / 1e9 == Approx(gigabytes[stage]).margin(0.05));
}

TEST_CASE("bytes per parameter at N=4, in bf16 and in fp32") {
  const double bf16[] = {16, 7, 5.5, 4};
  const double fp32[] = {16, 10, 7, 4};
  for (int stage = 0; stage <= 3; ++stage) {
    CHECK(zero_state(setup_of(1, 4, stage)).total() == Approx(bf16[stage]));
    CHECK(zero_state(setup_of(1, 4, stage, Precision::kFloat32)).total() == Approx(fp32[stage]));
  }
}

TEST_CASE("the optimizer's bytes are those of the state that it declares") {
  for (const OptimizerSpec& spec : optimizer_specs()) {
    int64_t values = 0;  // of an element
    for (const StateSpec& state : kept_state({.name = spec.name})) values += state.per == Per::kElement;
    INFO(spec.name);
    CHECK(state_widths(Precision::kFloat32, {.name = spec.name}).optimizer == 4 * values);
    CHECK(state_widths(Precision::kBFloat16, {.name = spec.name}).optimizer == 4 * values + 4);
  }
  ZeroSetup setup = setup_of(1, 4, 1);
  setup.optimizer = {.name = "sgd", .values = {{"momentum", 0}}};
  CHECK(zero_state(setup).total() == 2 + 2 + 1);
  CHECK(plan_stages(setup)[1].state_formula == "4Ψ + 4Ψ/N");
}

TEST_CASE("a frozen parameter has no gradient and no optimizer state, and only stage 3 shards it") {
  for (int stage = 0; stage <= 3; ++stage) {
    ZeroSetup setup = setup_of(0, 4, stage);
    setup.frozen = 100;
    const StateBytes state = zero_state(setup);
    CHECK(state.parameters == (stage == 3 ? 50 : 200));
    CHECK(state.gradients == 0);
    CHECK(state.optimizer == 0);
    CHECK(zero_traffic(setup).total() == Approx(stage == 3 ? 150 : 0));
  }
}

TEST_CASE("elements sent in a step at N=4") {
  struct Row {
    int64_t accumulate;
    ReduceMode reduce;
    double psi[4];  // by stage
  };
  const Row rows[] = {{1, ReduceMode::kReduceScatter, {1.5, 1.5, 1.5, 2.25}},
                      {8, ReduceMode::kReduceScatter, {1.5, 1.5, 6.75, 18}},
                      {1, ReduceMode::kAllReduce, {1.5, 2.25, 2.25, 2.25}},
                      {8, ReduceMode::kAllReduce, {1.5, 2.25, 12.75, 18}}};
  for (const Row& row : rows) {
    for (int stage = 0; stage <= 3; ++stage) {
      ZeroSetup setup = setup_of(1, 4, stage);
      setup.accumulate = row.accumulate;
      setup.reduce = row.reduce;
      CHECK(zero_traffic(setup).total() == Approx(row.psi[stage]));
    }
  }
}

TEST_CASE("what stage 3 keeps from forward to backward it does not gather again") {
  ZeroSetup setup = setup_of(1, 4, 3);
  setup.reshard = false;
  CHECK(zero_traffic(setup).total() == Approx(1.5));
  CHECK(plan_stages(setup)[3].traffic_formula == "2fΨ");
  setup.accumulate = 8;
  setup.frozen = 1;
  CHECK(zero_traffic(setup).total() == Approx(18));
  CHECK(plan_stages(setup)[3].traffic_formula == "16fΨ + 8fΨ₀");
  for (int stage = 0; stage < 3; ++stage) {  // the others keep their parameters anyway
    ZeroSetup other = setup_of(1, 4, stage);
    const double sent = zero_traffic(other).total();
    other.reshard = false;
    CHECK(zero_traffic(other).total() == sent);
  }
}

TEST_CASE("no_sync: one reduction a step, for whole gradients beside the shard") {
  ZeroSetup setup = setup_of(1, 4, 3);
  setup.accumulate = 4;
  CHECK(zero_traffic(setup).total() == Approx(12 * 0.75));
  CHECK(zero_state(setup).total() == Approx(4));
  setup.no_sync = true;
  CHECK(zero_traffic(setup).total() == Approx(9 * 0.75));
  CHECK(zero_state(setup).total() == Approx(6));
  CHECK(plan_stages(setup)[3].state_formula == "2Ψ + 16Ψ/N");
  CHECK(plan_stages(setup)[3].traffic_formula == "9fΨ");
  CHECK(plan_stages(setup)[2].traffic_formula == "2fΨ");
  CHECK(plan_stages(setup)[1].traffic_formula == "2fΨ");
  setup.accumulate = 1;  // there is no micro-batch to leave out
  CHECK(zero_state(setup).total() == Approx(4));
}

TEST_CASE("replicas: gathers inside a group, an all-reduce of the shard between groups") {
  ZeroSetup setup = setup_of(1, 4, 3);
  setup.replicas = 2;
  CHECK(zero_state(setup).total() == Approx(8));
  CHECK(zero_traffic(setup).gradients == Approx(0.5));
  CHECK(zero_traffic(setup).parameters == Approx(1));
  CHECK(zero_traffic(setup).between == Approx(0.5));
  CHECK(plan_stages(setup)[3].state_formula == "16Ψ/(N/M)");
  CHECK(plan_stages(setup)[3].traffic_formula == "3fΨ + 2(M-1)Ψ/N");
  CHECK(plan_stages(setup)[0].traffic_formula == "2fΨ");
  setup.accumulate = 8;
  CHECK(zero_traffic(setup).between == Approx(0.5));
  setup.replicas = 4;  // plain data parallelism, in a longer way
  CHECK(zero_state(setup).total() == Approx(16));
  CHECK(zero_traffic(setup).total() == Approx(1.5));
  CHECK(zero_traffic(setup).between == Approx(1.5));
}

TEST_CASE("a rank alone sends nothing and keeps everything") {
  for (int stage = 0; stage <= 3; ++stage) {
    CHECK(zero_traffic(setup_of(1e6, 1, stage)).total() == 0);
    CHECK(zero_state(setup_of(1e6, 1, stage)).total() == 16e6);
  }
}

TEST_CASE("values out of range are refused by name") {
  CHECK_THROWS_WITH(zero_state(setup_of(1, 0, 0)), "ranks=0: at least 1");
  CHECK_THROWS_WITH(zero_traffic(setup_of(1, 2, 4)), "stage=4: allowed are 0 to 3");
  CHECK_THROWS_AS(plan_stages(setup_of(0, 2, 0)), UsageError);
  ZeroSetup setup = setup_of(1, 4, 3);
  setup.replicas = 3;
  CHECK_THROWS_WITH(zero_state(setup), "replicas=3: it must divide ranks=4");
  setup.replicas = 2;
  setup.stage = 0;
  CHECK_THROWS_AS(zero_state(setup), UsageError);
}

TEST_CASE("billions of parameters whose state fits in one card of 80 GB") {
  const double at_8[] = {5.0, 14.5, 21.3, 40.0};
  const double at_64[] = {5.0, 19.1, 36.1, 320};
  const auto few = plan_stages(setup_of(7.5e9, 8, 0));
  const auto many = plan_stages(setup_of(7.5e9, 64, 0));
  for (size_t stage = 0; stage <= 3; ++stage) {
    CHECK(few[stage].parameters_per_card / 1e9 == Approx(at_8[stage]).margin(0.05));
    CHECK(many[stage].parameters_per_card / 1e9 == Approx(at_64[stage]).margin(0.05));
  }
}

TEST_CASE("formulas as text") {
  ZeroSetup setup = setup_of(1e9, 8, 0);
  setup.accumulate = 8;
  auto plan = plan_stages(setup);
  CHECK(plan[0].state_formula == "16Ψ");
  CHECK(plan[1].state_formula == "4Ψ + 12Ψ/N");
  CHECK(plan[2].state_formula == "2Ψ + 14Ψ/N");
  CHECK(plan[3].state_formula == "16Ψ/N");
  CHECK(plan[1].traffic_formula == "2fΨ");
  CHECK(plan[2].traffic_formula == "9fΨ");
  CHECK(plan[3].traffic_formula == "24fΨ");
  setup.frozen = 1e8;
  plan = plan_stages(setup);
  CHECK(plan[2].state_formula == "2Ψ + 14Ψ/N + 2Ψ₀");
  CHECK(plan[3].state_formula == "16Ψ/N + 2Ψ₀/N");
  CHECK(plan[3].traffic_formula == "24fΨ + 16fΨ₀");
  CHECK(plan[3].sent_bytes == Approx(2 * plan[3].traffic.total()));
}
