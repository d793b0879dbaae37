#include "autograd/parts.h"
#include "run_a_lesson.h"

namespace ringside::lessons::autograd {
using namespace testing;

namespace {

const Lesson kLesson = lesson_alone("autograd", make_lesson());

struct Doctored {
  GradientRow constants{kConstants, 4, 0.7, 0.9}, back{kPutBack, 4, 1, 0.25}, in_place{kInPlace, 4, 1, 1};
  double sgd = 0.5, adam = 1e-5;
  int64_t twice = 1, e_is = 4;  // E's place in the order
  bool in_caller = true, late = false;
  std::string error = "";
  int64_t same = 4;
  DeadRow walked{kWalked, 400, 20, 0, 1, "aside", "dead"}, fast{kFast, 400, 420, 0, 1, "aside", "dead"};
};

Trace doctored_trace(const Doctored& of) {
  const auto store = TraceStore::create(kLesson.id);
  Recorder& ways = *store->add_section(kPutBack, {}, 1).front();
  for (const GradientRow& row : {of.constants, of.back, of.in_place, GradientRow{kSummed, 4, 1, 4}})
    record_row(ways, row);
  record_row<TrainedRow>(ways, {kSgd, 4, of.sgd});
  record_row<TrainedRow>(ways, {kAdam, 4, of.adam});
  Recorder& hooks = *store->add_section(kHooks, {}, 1).front();
  hooks.span("backward", 100, 200, 0);
  CollectiveEvent sum;
  sum.tag = hooks.name("gradients"), sum.unit = hooks.name("bucket 0");
  sum.state = CollectiveState::kCompleted;
  sum.time_created_ns = of.late ? 250 : 150, sum.time_completed_ns = 300;
  hooks.collective(sum);
  std::vector<FiredRow> fired = {{0, "C", 1, 4, 5, of.in_caller}, {0, "A", 2, 2, 2, of.in_caller}};
  fired.insert(of.e_is == 1 ? fired.begin() : fired.end(), {0, "E", of.e_is, 1, 6, of.in_caller});
  for (const FiredRow& row : fired) record_row(hooks, row);
  record_row<HookRow>(hooks, {kTwice, 2, 1, of.twice});
  record_row<HookRow>(hooks, {kMicro, 2, 2, 2});
  record_row<HookRow>(hooks, {kRecomputed, 2, 1, 2});
  record_row<OrderRow>(hooks, {kFixed, 0, ""});
  record_row<OrderRow>(hooks, {kAsReady, 0.3, of.error});
  record_row<OrderRow>(hooks, {kAsReadySizes, NAN, "rank 1 differs"});
  Recorder& across = *store->add_section(kAcross, {}, 1).front();
  record_row<AcrossRow>(across, {4, of.same});
  for (const DeadRow& row : {of.walked, of.fast}) record_row(across, row);
  return store->snapshot();
}

std::string verdict(const std::string& claim, const Doctored& of) {
  return verdict_alone(kLesson, claim, doctored_trace(of));
}

constexpr char kExpected[] =
    "handles fails, differentiable fails, adam holds, thread partly, reverse partly, uses fails, noticed "
    "partly, "
    "one holds, dead partly";

}  // namespace

TEST_CASE("autograd: own rows put back give 1/N on any number of ranks, and every byte is explained") {
  const auto words = GENERATE(values<std::vector<std::string>>({{}, {"ranks=2", "seed=1"}, {"ranks=5"}}));
  const Trace trace = run_lesson(kLesson, words);
  INFO(trace.scenario());
  check_answers(kLesson, words, trace);
  check_shown(kLesson, trace);
  CHECK(verdicts_of(trace) == kExpected);
  for (const LedgerRow& row : trace.rows().ledger) CHECK(row.unexplained() == 0);
  for (const GradientRow& row : rows_in<GradientRow>(trace)) {
    INFO(row.way);
    const double N = double(row.ranks);
    CHECK((row.cosine < 0.99) == (row.way == kConstants));
    if (row.way != kConstants)
      CHECK(row.length == Approx(row.way == kPutBack ? 1 / N : row.way == kSummed ? N : 1).epsilon(1e-4));
  }
  for (const HookRow& row : rows_in<HookRow>(trace))
    CHECK(row.calls == (row.uses == 0 ? 0 : row.what == kRecomputed ? 2 : row.backwards));
  for (const DeadRow& row : rows_in<DeadRow>(trace)) {
    CHECK((row.sender == 0 && row.receiver == 1 && row.what == "aside"));
    CHECK((row.ms >= row.deadline) == (row.way == kFast));
  }
  const auto orders = rows_in<OrderRow>(trace);
  REQUIRE(orders.size() == 3);
  CHECK(orders[0].off < 1e-6);  // the rounding of one sum
  CHECK((orders[1].off > 0.1 && orders[1].error.empty()));
  CHECK(orders[2].error.find("rank 1") != std::string::npos);
}

TEST_CASE("autograd: a claim and an answer follow the trace") {
  CHECK(verdicts_of(kLesson, doctored_trace({})) == kExpected);
  CHECK(verdict("handles", {.constants = {kConstants, 4, 1, 1}, .back = {kPutBack, 4, 1, 1}}) == "holds");
  CHECK(verdict("differentiable", {.constants = {kConstants, 4, 1, 1}, .in_place = {kInPlace, 4, 1, 4}}) ==
        "holds");
  CHECK(verdict("adam", {.adam = 0.3}) == "fails");
  CHECK(verdict("adam", {.sgd = 1e-5}) == "fails");
  CHECK(verdict("thread", {.in_caller = false}) == "holds");
  CHECK(verdict("thread", {.late = true}) == "fails");
  CHECK(verdict("reverse", {.e_is = 1}) == "partly");  // then it is the order of last uses
  CHECK(verdict("uses", {.twice = 2}) == "holds");
  CHECK(verdict("noticed", {.error = "rank 1 differs"}) == "holds");
  CHECK(verdict("one", {.same = 3}) == "fails");
  const DeadRow at_once{kFast, 400, 20, 0, 1, "aside", "dead"}, nothing{kFast, 400, 20, -1, -1, "", ""};
  CHECK(verdict("dead", {.fast = at_once}) == "holds");
  CHECK(verdict("dead", {.walked = {kWalked, 400, 420, 0, 1, "aside", "dead"}}) == "fails");
  CHECK(verdict("dead", {.walked = {kWalked, 400, 20, 1, 2, "aside", "dead"}}) == "fails");
  check_says_nothing(kLesson);
  check_beliefs(kLesson);
  const auto answer = [](const char* question, const Doctored& of) {
    return answer_of(kLesson, question, doctored_trace(of)).at(0);
  };
  CHECK(answer("length", {}) == "1/N of one process's");
  CHECK(answer("length", {.back = {kPutBack, 4, 1, 1}}) == "equal to one process's");
  CHECK(answer("length", {.back = {kPutBack, 4, 1, 4}}) == "N times one process's");
  CHECK(answer("length", {.back = {kPutBack, 4, 0.5, 0.25}}) == "of another direction");
  CHECK(answer("hook", {.twice = 2}) == "twice");
  CHECK(answer("aside", {.fast = at_once}) == "an error at once");
  CHECK(answer("aside", {.fast = nothing}) == "a gradient of zeros");
  CHECK(answer("notices", {.adam = 0.5}) == "both");
  CHECK(answer("notices", {.sgd = 0}) == "neither");
}

}  // namespace ringside::lessons::autograd
