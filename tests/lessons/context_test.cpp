#include "context/parts.h"
#include "run_a_lesson.h"

namespace ringside::lessons::context {
using namespace testing;

namespace {

const Lesson kLesson = lesson_alone("context", make_lesson());

struct Doctored {
  double tiles_bytes = 1, tiles_time = 2, window_bytes = 1, difference = 1e-6;  // exponents; of tiles
  int64_t mlp = 5000, with_all = 4000;
  double found = 95, found_of_all = 5;  // percent, in the passages that are read
};

Trace doctored_trace(const Doctored& of) {
  const auto store = TraceStore::create(kLesson.id);
  Recorder& attention = *store->add_section(kAttention, {}, 1).front();
  for (const double T : {256.0, 512.0, 1024.0, 2048.0}) {
    const auto row = [&](const char* way, double bytes, double time, double difference) {
      record_row<AttentionRow>(attention, {way, int64_t(T), int64_t(100 * std::pow(T, bytes)),
                                           std::pow(T, time) * 1e-3, difference});
    };
    row(kScores, 2, 2, 0);
    row(kTiles, of.tiles_bytes, of.tiles_time, of.difference);
    row(kWindow, of.window_bytes, 1, 0.5);
  }
  Recorder& layer = *store->add_section(kLayer, {}, 1).front();
  record_row<LayerRow>(layer, {256, 1000, 500, of.mlp});
  record_row<LayerRow>(layer, {512, 4000, 1000, of.mlp});
  record_row<LayerRow>(layer, {1024, 16000, 2000, of.mlp});
  record_row<CacheRow>(*store->add_section(kReleased, {}, 1).front(), {"m", 8, 2, 1000, of.with_all, 3});
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
  const std::vector<std::string> words = {"tokens=2048", "hidden=64"};
  const Trace trace = run_lesson(kLesson, words);
  check_answers(kLesson, words, trace);
  for (const AttentionRow& row : rows_in<AttentionRow>(trace))
    if (row.way != kWindow || row.T == 256) CHECK(row.difference < 1e-5);
  CHECK(rows_in<CacheRow>(trace).size() > 5);
  const auto retrieval = rows_in<RetrievalRow>(trace);
  REQUIRE(retrieval.size() == 4);
  CHECK(retrieval[0].found <= retrieval[1].found);  // one passage, four of them
  CHECK(retrieval[2].found == Approx(100));         // all
  CHECK(retrieval[1].tokens < retrieval[2].tokens / 100);
}

TEST_CASE("context: a claim follows the trace") {
  CHECK(verdicts_of(kLesson, doctored_trace({})) ==
        "quadratic partly, approximates fails, window holds, scores partly, cache holds, "
        "retrieval partly");
  CHECK(verdict("quadratic", {.tiles_bytes = 2}) == "holds");
  CHECK(verdict("quadratic", {.tiles_time = 1}) == "fails");
  CHECK(verdict("approximates", {.difference = 0.01}) == "holds");
  CHECK(verdict("window", {.window_bytes = 2}) == "partly");
  CHECK(verdict("scores", {.mlp = 100'000}) == "fails");
  CHECK(verdict("scores", {.mlp = 100}) == "holds");
  CHECK(verdict("cache", {.with_all = 1000}) == "fails");
  CHECK(verdict("retrieval", {.found = 50}) == "fails");
  CHECK(verdict("retrieval", {.found_of_all = 90}) == "holds");
  CHECK(answer_of(kLesson, "grows", doctored_trace({})) == Words{"time, not bytes"});
  CHECK(answer_of(kLesson, "grows", doctored_trace({.tiles_bytes = 2})) == Words{"bytes and time"});
  check_says_nothing(kLesson);
}

}  // namespace ringside::lessons::context
