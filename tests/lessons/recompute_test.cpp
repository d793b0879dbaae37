#include "recompute/parts.h"
#include "ringside/trace/training_rows.h"
#include "run_a_lesson.h"

namespace ringside::lessons::recompute {
using namespace testing;

namespace {

const Lesson kLesson = lesson_alone("recompute", make_lesson());
const std::vector<std::string> kSmall = {"layers=4", "tokens=8", "batch=1", "hidden=32", "ranks=2"};

struct Doctored {
  int64_t gathers = 2, again = 1, peak = 3000;  // of layer 0 in the one step, with checkpointing
  std::string hash = "aaaaaaaaaaaa";
  double times = 1.33;
};

void write_section(TraceStore& store, const std::string& name, const Attributes& more, const Doctored& of,
                   bool on, int64_t peak) {
  Attributes attributes = {{"steps", 1}, {"units", 3}, {kHash, on ? of.hash : "aaaaaaaaaaaa"}};
  attributes.insert(more.begin(), more.end());
  Recorder& recorder = *store.add_section(name, attributes, 1).front();
  recorder.span("forward", 10, 20, 0, "layer 0");
  for (int64_t i = 0; on && i < of.again; ++i) recorder.span("recompute", 30, 40, 0, "layer 0");
  recorder.span("backward", 40, 50, 0, "layer 0");
  for (int64_t i = 0; i < (on ? of.gathers : 2); ++i) record_row(recorder, UnitGather{"layer 0", 0, false});
  for (const auto& [time, bytes] : {std::pair{12, peak}, {45, -peak}})
    recorder.memory({.time_ns = time,
                     .delta_bytes = bytes,
                     .live_bytes = bytes > 0 ? bytes : 0,
                     .peak_bytes = peak,
                     .total_bytes = bytes > 0 ? bytes : 0,
                     .tensor = recorder.name("hidden states"),
                     .category = Category::kActivations});
  recorder.note("after step", 0);
}

Trace doctored_trace(const Doctored& of) {
  const auto store = TraceStore::create(kLesson.id);
  for (const bool on : {false, true}) {
    const int64_t peak = on ? of.peak : 9000;
    for (const int stage : {0, 3}) write_section(*store, stage_section(stage, on), {}, of, on, peak);
    for (const int layers : {1, 8})
      write_section(*store, sweep_section(layers, on), {{kSweepLayers, layers}}, of, on, layers * peak);
  }
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
  CHECK(verdict("bits", {.hash = "bbbbbbbbbbbb"}) == "holds");
  CHECK(verdict("forward", {.again = 2}) == "fails");
  CHECK(verdict("time", {.times = 2}) == "fails");
  CHECK(verdict("time", {.times = 1.25}) == "not_testable");
  CHECK(kLesson.failed_check(doctored_trace({.hash = "bbbbbbbbbbbb"})) != "");
  check_says_nothing(kLesson);
}

}  // namespace ringside::lessons::recompute
