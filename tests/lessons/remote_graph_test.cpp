#include "remote_graph/parts.h"
#include "run_a_lesson.h"

namespace ringside::lessons::remote_graph {
using namespace testing;

namespace {

const Lesson kLesson = lesson_alone("remote_graph", make_lesson());

struct Doctored {
  AcrossRow across{4, 4, 0};
  DeadRow walked{kWalked, 400, 20, 0, 1, "aside", "dead"}, fast{kFast, 400, 420, 0, 1, "aside", "dead"};
};

Trace doctored_trace(const Doctored& of) {
  const auto store = TraceStore::create(kLesson.id);
  Recorder& pen = *store->add_section(kAcross, {}, 1).front();
  record_row(pen, of.across);
  for (const DeadRow& row : {of.walked, of.fast}) record_row(pen, row);
  return store->snapshot();
}

std::string verdict(const std::string& claim, const Doctored& of) {
  return verdict_alone(kLesson, claim, doctored_trace(of));
}

}  // namespace

TEST_CASE("remote_graph: one backward has one process's bits, and FAST alone waits for a dead send") {
  const auto words =
      GENERATE(values<std::vector<std::string>>({{}, {"ranks=2", "deadline=1500"}, {"ranks=5"}}));
  const Trace trace = run_lesson(kLesson, words);
  INFO(trace.scenario());
  check_answers(kLesson, words, trace);
  check_shown(kLesson, trace);
  CHECK(verdicts_of(trace) == "one holds, dead fails");
  for (const LedgerRow& row : trace.rows().ledger) CHECK(row.unexplained() == 0);
  const auto dead = rows_in<DeadRow>(trace);
  REQUIRE(dead.size() == 2);
  for (const DeadRow& row : dead) {
    CHECK((row.sender == 0 && row.receiver == 1 && row.what == "aside"));
    CHECK((row.ms >= row.deadline) == (row.way == kFast));
  }
}

TEST_CASE("remote_graph: a claim and an answer follow the trace") {
  CHECK(verdicts_of(kLesson, doctored_trace({})) == "one holds, dead fails");
  CHECK(verdict("one", {.across = {4, 3, 0}}) == "fails");
  const DeadRow at_once{kFast, 400, 20, 0, 1, "aside", "dead"}, nothing{kFast, 400, 20};
  CHECK(verdict("dead", {.fast = at_once}) == "holds");
  CHECK(verdict("dead", {.fast = {kFast, 400, 20, 1, 2, "aside", "dead"}}) == "fails");
  check_says_nothing(kLesson);
  check_beliefs(kLesson);
  const auto answer = [](const char* question, const Doctored& of) {
    return answer_of(kLesson, question, doctored_trace(of)).at(0);
  };
  CHECK(answer("aside", {}) == "nothing, until the deadline");
  CHECK(answer("aside", {.fast = at_once}) == "an error at once");
  CHECK(answer("aside", {.fast = nothing}) == "a gradient of zeros");
  CHECK(answer("grad", {}) == "with the context, not in .grad");
  CHECK(answer("grad", {.across = {4, 4, 1}}) == "in the weight's .grad");
}

}  // namespace ringside::lessons::remote_graph
