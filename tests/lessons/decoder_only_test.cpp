#include "decoder_only/parts.h"
#include "run_a_lesson.h"

namespace ringside::lessons::decoder_only {
using namespace testing;

namespace {

const Lesson kLesson = lesson_alone("decoder_only", make_lesson());

struct Doctored {
  int64_t causal_rank = 60, both_rank = 64, read = 80;
  double with_loss = 15, effective = 3, alone = 1e-9, causal = 0.1;
  bool same = true;
};

Trace doctored_trace(const Doctored& of) {
  const auto store = TraceStore::create(kLesson.id);
  Recorder& random = *store->add_section(kRandom, {}, 1).front();
  record_row<MatrixRow>(random, {kRandom, kCausal, 64, of.causal_rank, 60, 50, -100, 1e9, 20});
  record_row<MatrixRow>(random, {kRandom, kBoth, 64, of.both_rank, 60, 50, -100, 1e9, 20});
  Recorder& depth = *store->add_section(kDepth, {}, 1).front();
  record_point(depth, kCausal, 12, of.causal);
  record_point(depth, kBoth, 12, of.alone);
  for (const char* line : {"bidirectional, skip", "bidirectional, skip, MLP"})
    record_point(depth, line, 12, 0.5);
  Recorder& trained = *store->add_section(kTrained, {}, 1).front();
  record_row<MatrixRow>(trained, {kTrained, kCausal, 64, 64, 60, 50, -100, 1e9, 40});
  record_row<MatrixRow>(trained, {kTrained, kBoth, 64, 64, 60, 50, -100, 1e9, of.effective});
  record_row<TaskRow>(trained, {kCausal, 100, 97, 3, 10});
  record_row<TaskRow>(trained, {kBoth, 100, of.with_loss, 3, 10});
  record_row<WrittenRow>(trained, {kWithout, 8, 16, 200, true});
  record_row<WrittenRow>(trained, {kWith, 8, 16, of.read, of.same});
  return store->snapshot();
}

std::string verdict(const std::string& claim, const Doctored& of) {
  return verdict_alone(kLesson, claim, doctored_trace(of));
}

}  // namespace

TEST_CASE("decoder only: what is predicted is what is measured, and every byte is explained") {
  const std::vector<std::string> words = {"tokens=128", "steps=4", "bytes=24"};
  const Trace trace = run_lesson(kLesson, words);
  check_answers(kLesson, words, trace);
  for (const LedgerRow& row : trace.rows().ledger) CHECK(row.unexplained() == 0);
  const auto written = rows_in<WrittenRow>(trace);
  REQUIRE(written.size() == 2);
  CHECK(written[0].read == 24 * (24 + 15) / 2);
  CHECK(written[1].read == 8 + 23);
  CHECK(written[1].same);
  for (const MatrixRow& row : rows_in<MatrixRow>(trace))
    CHECK((row.fp64 <= row.T && row.bf16 <= row.fp32 && row.fp32 <= row.fp64 &&
           row.effective <= double(row.T)));
}

TEST_CASE("decoder only: a claim follows the trace") {
  CHECK(
      verdicts_of(kLesson, doctored_trace({})) ==
      "low-rank partly, full-rank partly, collapse holds, positions holds, better not_testable, cache holds");
  CHECK(verdict("low-rank", {.effective = 60}) == "fails");
  CHECK(verdict("low-rank", {.both_rank = 16}) == "holds");
  CHECK(verdict("full-rank", {.causal_rank = 64}) == "holds");
  CHECK(verdict("collapse", {.alone = 0.4}) == "partly");
  CHECK(verdict("positions", {.with_loss = 50}) == "not_testable");  // as with masked=50
  CHECK(verdict("cache", {.same = false}) == "fails");
  CHECK(verdict("cache", {.read = 200}) == "fails");
  CHECK(answer_of(kLesson, "rank", doctored_trace({})) == Words{"the bidirectional one"});
  CHECK(answer_of(kLesson, "rank", doctored_trace({.causal_rank = 64})) == Words{"both"});
  check_says_nothing(kLesson);
}

}  // namespace ringside::lessons::decoder_only
