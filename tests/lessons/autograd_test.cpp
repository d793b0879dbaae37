#include "autograd/parts.h"
#include "run_a_lesson.h"

namespace ringside::lessons::autograd {
using namespace testing;

namespace {

const Lesson kLesson = lesson_alone("autograd", make_lesson());

struct Doctored {
  int64_t twice = 1, e_is = 4;  // E's place in the order
  bool in_caller = true, late = false;
  OrderRow ready{kAsReady, 30};
};

Trace doctored_trace(const Doctored& of) {
  const auto store = TraceStore::create(kLesson.id);
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
  record_row<OrderRow>(hooks, {kFixed, 0});
  record_row(hooks, of.ready);
  record_row<OrderRow>(hooks, {kAsReadySizes, NAN, "rank 1 differs"});
  return store->snapshot();
}

std::string verdict(const std::string& claim, const Doctored& of) {
  return verdict_alone(kLesson, claim, doctored_trace(of));
}

constexpr char kExpected[] = "thread partly, reverse partly, uses fails, noticed partly";

}  // namespace

TEST_CASE("autograd: a hook is called once per accumulation, and another order is noticed by sizes alone") {
  const auto words = GENERATE(values<std::vector<std::string>>({{}, {"ranks=2"}, {"ranks=5"}}));
  const Trace trace = run_lesson(kLesson, words);
  INFO(trace.scenario());
  check_answers(kLesson, words, trace);
  check_shown(kLesson, trace);
  CHECK(verdicts_of(trace) == kExpected);
  for (const LedgerRow& row : trace.rows().ledger) CHECK(row.unexplained() == 0);
  for (const HookRow& row : rows_in<HookRow>(trace))
    CHECK(row.calls == (row.uses == 0 ? 0 : row.what == kRecomputed ? 2 : row.backwards));
  const auto orders = rows_in<OrderRow>(trace);
  REQUIRE(orders.size() == 3);
  CHECK(orders[0].off < 1e-4);  // the rounding of one sum
  CHECK((orders[1].off > 10 && orders[1].error == kNoError));
  CHECK(orders[2].error.find("rank 1") != std::string::npos);
}

TEST_CASE("autograd: a claim and an answer follow the trace") {
  const OrderRow noticed{kAsReady, NAN, "rank 1 differs"};
  CHECK(verdicts_of(kLesson, doctored_trace({})) == kExpected);
  CHECK(verdict("thread", {.in_caller = false}) == "holds");
  CHECK(verdict("thread", {.late = true}) == "fails");
  CHECK(verdict("reverse", {.e_is = 1}) == "partly");  // then it is the order of last uses
  CHECK(verdict("uses", {.twice = 2}) == "holds");
  CHECK(verdict("noticed", {.ready = noticed}) == "holds");
  check_says_nothing(kLesson);
  check_beliefs(kLesson);
  const auto answer = [](const char* question, const Doctored& of) {
    return answer_of(kLesson, question, doctored_trace(of)).at(0);
  };
  CHECK(answer("hook", {.twice = 2}) == "twice");
  CHECK(answer("order", {}) == "a wrong gradient, without an error");
  CHECK(answer("order", {.ready = noticed}) == "an error that names rank 1");
  CHECK(answer("order", {.ready = {kAsReady, 0}}) == "the right gradient: a sum has no order");
}

}  // namespace ringside::lessons::autograd
