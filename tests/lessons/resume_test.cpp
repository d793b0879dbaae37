#include "quick_words.h"
#include "resume/parts.h"
#include "run_a_lesson.h"

namespace ringside::lessons::resume {
using namespace testing;

namespace {

const Lesson kLesson = lesson_alone("resume", make_lesson());

struct Doctored {
  double at_once = 0.01, at_end = 0.01,
         held_out_end = 0.5;  // of moments, schedule and statistics; noise is 0.05
  double steps = 100;         // the cut is at 0
  bool same_bits = true, masters_same = false;
  int64_t never = 300;
  double both_lost = 1;
};

Trace doctored_trace(const Doctored& of) {
  const auto store = TraceStore::create(kLesson.id);
  store->add_section(kWhole, {}, 2);
  Recorder& pen = *store->add_section(kCompared, {}, 1).front();
  const auto row = [&](const std::string& name, double once, double end, bool same) {
    const bool statistics = name == name_of(LeftOut::kStatistics);
    record_row(pen, CutRow{name, once, end, statistics ? 1.5 : 0.01, statistics ? of.held_out_end : 0.01,
                           statistics || same, statistics || same, same, 2});
  };
  row(kNothing, 0, 0, of.same_bits);
  for (const LeftOut part : kParts)
    row(name_of(part), part == LeftOut::kMoments ? of.at_once : 0.01,
        part == LeftOut::kSchedule ? of.at_end : 0.01, part == LeftOut::kMasters && of.masters_same);
  row(kTutorial, of.at_once, of.at_end, false), row(kWeightsAlone, 0.01, 0.01, false);
  record_row(pen, CutRow{kSeeds, 0.05, 0.05, 0.05, 0.05});
  record_told(pen, rows_in<CutRow>(store->snapshot()));
  record_row(pen, SeenRow{"begins anew", of.never, 1280 - 2 * of.never, of.never});
  for (const auto& [line, length] :
       {std::pair{kBothLost, of.both_lost}, {"moments", 6.5}, {"step count", 0.15}, {kNothing, 1.0}})
    record_point(pen, line, 10, length);
  record_point(pen, kHeldOut, of.steps, 0.5);
  return store->snapshot();
}

std::string verdict(const std::string& claim, const Doctored& of) {
  return verdict_alone(kLesson, claim, doctored_trace(of));
}

}  // namespace

TEST_CASE("resume: what is predicted is what is measured, and every byte is explained") {
  const std::vector<std::string> words = quick_words(kLesson.id);
  const Trace trace = run_lesson(kLesson, words);
  check_answers(kLesson, words, trace);
  for (const LedgerRow& row : trace.rows().ledger) CHECK(row.unexplained() == 0);
  CHECK(rows_in<CutRow>(trace).size() == std::size(kParts) + 4);
  for (const CutRow& row : rows_in<CutRow>(trace)) {
    INFO(row.left_out);
    if (row.left_out == kSeeds) continue;
    CHECK(row.same_weights == (row.left_out == kNothing || row.left_out == "statistics"));
  }
}

TEST_CASE("resume: a cut that leaves no ten steps to compare is refused") {
  Session session(kLesson, scenario_of(kLesson, {"steps=40", "cut=31"}));
  finishes(session);
  CHECK_THROWS_AS(session.result(), UsageError);
}

TEST_CASE("resume: a claim follows the trace") {
  CHECK(verdicts_of(kLesson, doctored_trace({})) ==
        "equal holds, curve partly, tutorial partly, back fails, masters partly, epoch fails, correction "
        "holds");
  CHECK(verdict("equal", {.same_bits = false}) == "fails");
  CHECK(verdict("tutorial", {.at_once = 0.5}) == "fails");
  CHECK(verdict("tutorial", {.at_end = 0.5}) == "fails");
  CHECK(verdict("back", {.held_out_end = 0.01}) == "holds");
  CHECK(verdict("back", {.steps = 10}) == "not_testable");  // some tens of steps have not passed
  CHECK(verdict("masters", {.masters_same = true}) == "holds");
  CHECK(verdict("epoch", {.never = 0}) == "holds");
  CHECK(verdict("correction", {.both_lost = 3}) == "fails");
  const Trace told = doctored_trace({.at_once = 0.5});
  CHECK(judge_alone(kLesson, "curve", told).evidence.find("next 10 steps shows 1") != std::string::npos);
  CHECK(judge_alone(kLesson, "curve", told).evidence.starts_with("of 7 parts"));
  const figure::Value shown = figure_value(kLesson, "table", told);
  const auto& rows = std::get<figure::Table>(shown).rows;
  REQUIRE(rows.size() == std::size(kParts) + 4);  // the noise is no such run, and the last says what is told
  CHECK((rows[0][1].text == "same bits" && rows[1][1].text == "not told" && rows[3][1].text == "+0.500"));
  CHECK(answer_of(kLesson, "show", told) == Words{"one or two"});
  CHECK(answer_of(kLesson, "statistics", told) == Words{"the held-out loss alone"});
}

}  // namespace ringside::lessons::resume
