#include "context/parts.h"
#include "run_a_lesson.h"

namespace ringside::lessons::context {
using namespace testing;

namespace {

const Lesson kLesson = lesson_alone("context", make_lesson());

struct Doctored {
  double tiles_bytes = 1, tiles_time = 2, window_bytes = 1;  // exponents
  double difference = 1e-6, window_off = 0.5;                // of the values: of tiles, of the window
  int64_t mlp = 5000, with_all = 4000;
  double beyond = 3, window = 2.2, further = 2.4, first = 2;  // nats from byte 256 on; percent
  double found = 95, found_of_all = 5;                        // percent, in the passages that are read
};

Trace doctored_trace(const Doctored& of) {
  const auto store = TraceStore::create(kLesson.id);
  Recorder& attention = *store->add_section(kAttention, {}, 1).front();
  for (const double T : {256.0, 512.0, 1024.0, 2048.0}) {
    const auto row = [&](const char* way, double bytes, double time, double difference) {
      record_point(attention, line_of(way, kBytes), T, 100 * std::pow(T, bytes));
      record_point(attention, line_of(way, kMs), T, std::pow(T, time) * 1e-3);
      record_point(attention, line_of(way, kDifference), T, difference);
    };
    row(kScores, 2, 2, 0);
    row(kTiles, of.tiles_bytes, of.tiles_time, of.difference);
    row(kWindow, of.window_bytes, 1, of.window_off);
  }
  Recorder& layer = *store->add_section(kLayer, {}, 1).front();
  for (const double times : {1, 2, 4}) {
    record_point(layer, kKeptScores, 256 * times, 1000 * times * times);
    record_point(layer, kKeptRest, 256 * times, 500 * times);
    record_point(layer, kKeptMlp, 256 * times, double(of.mlp));
  }
  record_row<CacheRow>(*store->add_section(kReleased, {}, 1).front(), {"m", 8, 2, 1000, of.with_all, 3});
  Recorder& lengths = *store->add_section(kBeyond, {}, 1).front();
  const auto length = [&](const char* line, double near, double far) {
    record_row<LengthRow>(lengths, {line, near, far});
  };
  length(kLearned, 2.3, 2.9), length(kRotary, 2.2, of.beyond), length(kInterpolated, 2.7, 2.7);
  length(kFurther, 2.4, of.further), length(kNearest, 2.2, of.window), length(kSinks, 2.2, 2.2);
  record_row<FirstTokenRow>(lengths, {of.first, 2});
  Recorder& retrieval = *store->add_section(kRetrieval, {}, 1).front();
  record_row<RetrievalRow>(retrieval, {kOneFact, 1, of.found / 2, 1'000});
  record_row<RetrievalRow>(retrieval, {kOneFact, 4, of.found, 2'000});
  record_row<RetrievalRow>(retrieval, {kOneFact, 900, 100, 1'000'000});
  record_row<RetrievalRow>(retrieval, {kAllFacts, 4, of.found_of_all, 2'000});
  return store->snapshot();
}

std::string verdict(const std::string& claim, const Doctored& of) {
  return verdict_alone(kLesson, claim, doctored_trace(of));
}

}  // namespace

TEST_CASE("context: what is predicted is what is measured") {
  const std::vector<std::string> words = {"tokens=2048", "hidden=64", "steps=30", "further=3"};
  const Trace trace = run_lesson(kLesson, words);
  check_answers(kLesson, words, trace);
  for (const char* way : kWays)
    for (const figure::Point& at : curve(trace, kAttention, line_of(way, kDifference)))
      if (way != kWindow || at.x == 256) CHECK(at.y < 1e-5);
  CHECK(rows_in<CacheRow>(trace).size() > 5);
  for (const LedgerRow& row : trace.rows().ledger) CHECK(row.unexplained() == 0);
  const auto lengths = rows_in<LengthRow>(trace);
  REQUIRE(lengths.size() == 6);
  CHECK(lengths[4].near == Approx(lengths[1].near).margin(1e-4));  // a window of 64 hides nothing within 64
  const auto retrieval = rows_in<RetrievalRow>(trace);
  REQUIRE(retrieval.size() == 4);
  CHECK(figure_text(kLesson, "retrieval", trace).find("%") != std::string::npos);
  CHECK(figure_text(kLesson, "caches", trace).find("32768") != std::string::npos);
  CHECK(retrieval[0].found <= retrieval[1].found);  // one passage, four of them
  CHECK(retrieval[2].found == Approx(100));         // all
  CHECK(retrieval[1].tokens < retrieval[2].tokens / 100);
}

TEST_CASE("context: a claim follows the trace") {
  CHECK(verdicts_of(kLesson, doctored_trace({})) ==
        "quadratic partly, approximates fails, window holds, scores partly, length fails, "
        "interpolated partly, sinks not_testable, cache holds, retrieval partly");
  CHECK(verdict("quadratic", {.tiles_bytes = 2}) == "holds");
  CHECK(verdict("quadratic", {.tiles_time = 1}) == "fails");
  CHECK(verdict("approximates", {.difference = 0.01}) == "holds");
  CHECK(verdict("window", {.window_bytes = 2}) == "partly");
  CHECK(verdict("window", {.window_off = 1e-6}) == "not_testable");  // it is as long as the text
  CHECK(verdict("scores", {.mlp = 100'000}) == "fails");
  CHECK(verdict("scores", {.mlp = 100}) == "holds");
  CHECK(verdict("length", {.beyond = 2.25}) == "holds");
  CHECK(verdict("interpolated", {.further = 3}) == "fails");
  CHECK(verdict("sinks", {.first = 40}) == "fails");
  CHECK(verdict("sinks", {.window = 5, .first = 40}) == "holds");
  CHECK(verdict("cache", {.with_all = 1000}) == "fails");
  CHECK(verdict("retrieval", {.found = 50}) == "fails");
  CHECK(verdict("retrieval", {.found_of_all = 90}) == "holds");
  CHECK(answer_of(kLesson, "grows", doctored_trace({})) == Words{"time, not bytes"});
  CHECK(answer_of(kLesson, "grows", doctored_trace({.tiles_bytes = 2})) == Words{"bytes and time"});
  CHECK(answer_of(kLesson, "beyond", doctored_trace({})) == Words{"a window: each byte sees the nearest 64"});
  CHECK(answer_of(kLesson, "beyond", doctored_trace({.beyond = 2})) == Words{"rotary positions as they are"});
  check_says_nothing(kLesson);
}

}  // namespace ringside::lessons::context
