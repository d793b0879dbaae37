// Where a step's time goes, of planted traces.
#include "ringside/train/step_account.h"

#include "catch.h"
#include "planted_steps.h"
#include "ringside/comm/link_record.h"

using namespace ringside;
using namespace ringside::testing;

namespace {

std::vector<StepAccount> accounts_of(const PlantedStep& of) {
  const auto store = TraceStore::create("step account");
  const auto ranks = store->add_section("steps", link_attributes({"", 0.001, 1e6}), 2);
  for (int64_t step = 0; step < 10; ++step) plant_step(ranks, step, of);
  const Trace trace = store->snapshot();
  return step_accounts(trace, trace.find("steps"));
}
StepAccount account_of(const PlantedStep& of) { return median_step(accounts_of(of)).value(); }

}  // namespace

TEST_CASE("a step's account: hidden and exposed make the time on the wire, and with the rest the step") {
  const StepAccount first = account_of({}), second = account_of({.gather_ms = 10});
  const Carried& sum = first.of(StepCall::kGradients);
  CHECK(sum.calls == 1);
  CHECK(sum.bytes == 2000);
  CHECK(sum.wire == Approx(0.038));  // from when rank 1 has come
  CHECK(sum.exposed == Approx(0.010));
  CHECK(sum.hidden() == Approx(0.028));
  CHECK(sum.model == Approx(0.001 + 2000 / 1e6));
  CHECK(first.step == Approx(0.100));
  CHECK(first.compute == Approx(0.090));
  CHECK(first.others == Approx(0).margin(1e-12));
  CHECK(second.of(StepCall::kUpdateGather).exposed == Approx(0.010));
  CHECK(second.of(StepCall::kUpdateGather).hidden() == Approx(0).margin(1e-12));
  CHECK(second.compute + second.others + second.all().exposed == Approx(second.step));
}

TEST_CASE("a step's account: waits for a rank or a core are no time on the wire") {
  const StepAccount step = account_of({.late_ms = 34});
  CHECK(step.of(StepCall::kGradients).wire == Approx(0.006));
  CHECK(step.of(StepCall::kGradients).exposed == Approx(0.006));
  CHECK(step.others == Approx(0.004));
  const StepAccount own = account_of({.cpu_ms = 70});
  CHECK(own.compute == Approx(0.070));
  CHECK(own.others == Approx(0.020));                           // no core
  CHECK(account_of({.cpu_ms = 200}).compute == Approx(0.090));  // not more than there is
}

TEST_CASE("a step's account: a gather belongs to the next pass, and what warmed up is left out") {
  const StepAccount last = account_of({.gathers = true});
  CHECK(last.of(StepCall::kForwardGather).calls == 1);
  CHECK(last.of(StepCall::kBackwardGather).calls == 1);
  CHECK(last.of(StepCall::kUpdateGather).calls == 0);
  CHECK(accounts_of({}).size() == 9);
  CHECK(step_accounts(Trace(), nullptr).empty());
  CHECK_FALSE(median_step({}));
}

TEST_CASE("a step's account: the pieces of the rank do not overlap, and its waits stand beside them") {
  const StepAccount step = account_of({});
  double in_pieces = 0;
  for (const StepPiece& piece : step.rank) in_pieces += piece.to - piece.from;
  CHECK(in_pieces == Approx(0.015 + 0.043 + 0.030));
  CHECK(step.rank.back().what == "wait for gradients");
  REQUIRE(step.wire.size() == 1);
  CHECK(step.wire.front().what == "gradients");
  CHECK(step.wire.front().from == Approx(0.022));
}

TEST_CASE("a step's account: times tell of the cores where ranks share them and the link takes less time") {
  const auto crowded = [](const std::optional<int64_t>& cores, const PlantedStep& of) {
    const auto store = TraceStore::create("step account");
    Attributes attributes = link_attributes({"", 0.001, 1e6});
    if (cores) attributes[kCores] = *cores;
    const auto ranks = store->add_section("steps", attributes, 2);
    for (int64_t step = 0; step < 3; ++step) plant_step(ranks, step, of);
    const Trace trace = store->snapshot();
    return is_crowded(trace, trace.find("steps"));
  };
  CHECK(crowded(1, {}));
  CHECK_FALSE(crowded(2, {}));
  CHECK_FALSE(crowded({}, {}));
  CHECK_FALSE(crowded(1, {.cpu_ms = 2}));  // the link takes 3 ms
  CHECK_FALSE(is_crowded(Trace(), nullptr));
}

TEST_CASE("a step's account: steps in turns are compared where both have all of them") {
  const auto store = TraceStore::create("step account");
  const auto plant = [&](const char* name, int64_t steps, int64_t more_ms) {
    const auto ranks = store->add_section(name, link_attributes({"", 0.001, 1e6}), 2);
    for (int64_t step = 0; step < steps; ++step) plant_step(ranks, step, {.more_ms = more_ms});
  };
  plant("base", 10, 0);
  plant("longer", 10, 30);
  plant("shorter", 9, 0);
  const Trace trace = store->snapshot();
  const auto ratio = [&](const char* name) {
    return step_ratio(trace, trace.find(name), trace.find("base"));
  };
  CHECK(ratio("longer").value().median == Approx(1.3));
  CHECK_FALSE(ratio("shorter"));
  CHECK_FALSE(ratio("nothing"));
}
