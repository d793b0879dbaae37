#include "recompute/parts.h"
#include "run_a_lesson.h"

namespace ringside::lessons::recompute {
using namespace testing;

namespace {

const Lesson kLesson = lesson_alone("recompute", make_lesson());
const std::vector<std::string> kSmall = {"layers=4", "tokens=8", "batch=1", "hidden=32", "ranks=2"};

struct Doctored {
  double gathers = 2, again = 1, peak = 3000;  // with checkpointing
  bool same_bits = true;
  double times = 1.33;
};

Trace doctored_trace(const Doctored& of) {
  const auto store = TraceStore::create(kLesson.id);
  Recorder& pen = *store->add_section(kSweep, {}, 1).front();
  for (const char* way : {kOff, kOn}) {
    const bool on = way == kOn;
    for (const int64_t stage : {0, 3})
      record_row(pen, PassesRow{.stage = stage,
                                .way = way,
                                .forward = 1,
                                .again = on ? of.again : 0,
                                .backward = 1,
                                .gathers = on ? of.gathers : 2,
                                .activations = on ? of.peak : 9000,
                                .bits = "",
                                .same_bits = !on || of.same_bits});
    for (const int layers : {1, 8}) record_point(pen, way, layers, layers * (on ? of.peak : 9000));
  }
  record_point(pen, kInput, 8, 9000);
  Recorder& times = *store->add_section(kTimes, {}, 1).front();
  for (int round = 0; round < 9; ++round) {
    record_row(times, Timing{kOn, of.times * (980 + 20 * (round % 3))});
    record_row(times, Timing{kOff, 1000.0});
  }
  return store->snapshot();
}

std::string verdict(const std::string& claim, const Doctored& of) {
  return verdict_alone(kLesson, claim, doctored_trace(of));
}

}  // namespace

TEST_CASE("recompute: what is predicted is counted, below stage 3 too; claims follow the trace") {
  for (const char* precision : {"precision=bf16", "precision=fp32"}) {
    INFO(precision);
    std::vector<std::string> words = kSmall;
    words.push_back(precision);
    const Trace trace = run_lesson(kLesson, words);
    CHECK(kLesson.failed_check(trace) == "");
    CHECK(trace.rows().ledger.size() > 100);
    check_answers(kLesson, words, trace, 0);
    CHECK(verdicts_of(trace).starts_with("gathers fails, bits fails, forward holds, peak holds, time "));
  }
  std::vector<std::string> words = kSmall;
  words.push_back("stage=0");
  const Trace trace = run_lesson(kLesson, words);
  const Config config = scenario_of(kLesson, words);
  const FigureInput input{config, trace};
  CHECK(kLesson.figures.front().sentence(input).find("of the activations and sends as much") !=
        std::string::npos);
  CHECK(*question_of(kLesson, "gathers").measured(trace) == 2);  // stage 3 is run in any case
  CHECK(verdicts_of(kLesson, doctored_trace({})) ==
        "gathers fails, bits fails, forward holds, peak fails, time holds");
  CHECK(verdict("gathers", {.gathers = 3}) == "holds");
  CHECK(verdict("bits", {.same_bits = false}) == "holds");
  CHECK(verdict("forward", {.again = 2}) == "fails");
  CHECK(verdict("peak", {.peak = 10125}) == "holds");  // 8 x + k
  CHECK(verdict("time", {.times = 2}) == "fails");
  CHECK(verdict("time", {.times = 1.25}) == "not_testable");
  CHECK(kLesson.failed_check(doctored_trace({.same_bits = false})) != "");
  check_says_nothing(kLesson);
}

}  // namespace ringside::lessons::recompute
