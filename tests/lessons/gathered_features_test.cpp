#include "gathered_features/parts.h"
#include "run_a_lesson.h"

namespace ringside::lessons::gathered_features {
using namespace testing;

namespace {

const Lesson kLesson = lesson_alone("gathered_features", make_lesson());

struct Doctored {
  GradientRow constants{kConstants, 4, 0.7, 0.9}, back{kPutBack, 4, 1, 0.25}, in_place{kInPlace, 4, 1, 1};
  double sgd = 0.5, adam = 1e-5;
};

Trace doctored_trace(const Doctored& of) {
  const auto store = TraceStore::create(kLesson.id);
  Recorder& pen = *store->add_section(kPutBack, {}, 1).front();
  for (const GradientRow& row : {of.constants, of.back, of.in_place, GradientRow{kSummed, 4, 1, 4}})
    record_row(pen, row);
  record_row<TrainedRow>(pen, {kSgd, 4, of.sgd});
  record_row<TrainedRow>(pen, {kAdam, 4, of.adam});
  return store->snapshot();
}

std::string verdict(const std::string& claim, const Doctored& of) {
  return verdict_alone(kLesson, claim, doctored_trace(of));
}

constexpr char kExpected[] = "handles fails, differentiable fails, adam holds";

}  // namespace

TEST_CASE("gathered features: own rows put back give 1/N on any number of ranks, every byte is explained") {
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
}

TEST_CASE("gathered features: a claim and an answer follow the trace") {
  CHECK(verdicts_of(kLesson, doctored_trace({})) == kExpected);
  CHECK(verdict("handles", {.constants = {kConstants, 4, 1, 1}, .back = {kPutBack, 4, 1, 1}}) == "holds");
  CHECK(verdict("differentiable", {.constants = {kConstants, 4, 1, 1}, .in_place = {kInPlace, 4, 1, 4}}) ==
        "holds");
  CHECK(verdict("adam", {.adam = 0.3}) == "fails");
  CHECK(verdict("adam", {.sgd = 1e-5}) == "fails");
  check_says_nothing(kLesson);
  check_beliefs(kLesson);
  const auto answer = [](const char* question, const Doctored& of) {
    return answer_of(kLesson, question, doctored_trace(of)).at(0);
  };
  CHECK(answer("length", {}) == "1/N of one process's");
  CHECK(answer("length", {.back = {kPutBack, 4, 1, 1}}) == "equal to one process's");
  CHECK(answer("length", {.back = {kPutBack, 4, 1, 4}}) == "N times one process's");
  CHECK(answer("length", {.back = {kPutBack, 4, 0.5, 0.25}}) == "of another direction");
  CHECK(answer("notices", {.adam = 0.5}) == "both");
  CHECK(answer("notices", {.sgd = 0}) == "neither");
}

}  // namespace ringside::lessons::gathered_features
