#include "quick_words.h"
#include "run_a_lesson.h"
#include "stages/parts.h"

namespace ringside::lessons::stages {
using namespace testing;

namespace {

const Lesson kLesson = lesson_alone("stages", make_lesson());

struct Doctored {
  double text_none = 2.8, text_half = 2.6;       // after continual pre-training; 2.7 before
  double answer_masked = 0.7, answer_all = 1.5;  // nats
  double right_ppo = 40, right_grpo = 45;        // 10 before
  double post_moved = 4, post_rate = 1e-4;       // of 20 steps
  double far = 0.5, near = -1, few = 0.05;       // log-probabilities of the chosen; a token's weight
  int64_t dpo_answers = 0, dpo_state = 16, ppo_state = 28;
};

Trace doctored_trace(const Doctored& of) {
  const auto store = TraceStore::create(kLesson.id);
  const auto add = [&](const std::string& stage, double text, double answer, double right, double moved,
                       double rate, int64_t answers, int64_t state,
                       const std::string& from = "") -> Recorder& {
    Recorder& pen = *store->add_section(stage, {}, 1).front();
    record_row<ChangeRow>(pen,
                          {stage, from, 20, 100, 30, moved, moved / (20 * rate), 0.1, 90, answers, state, 8});
    record_row<StageRow>(pen, {stage, text, 3, answer, right, "The", "const", "sort 427: 247"});
    return pen;
  };
  add(kPretraining, 2.7, 5, 0, 60, 3e-3, 0, 12);
  add(continual(0), of.text_none, 5, 0, 15, 2e-3, 0, 12);
  add(kContinued, 2.7, 5, 0, 15, 2e-3, 0, 12);
  add(continual(50), of.text_half, 5, 0, 15, 2e-3, 0, 12);
  add(kSft, 8, of.answer_masked, 10, 50, 3e-3, 0, 12);
  add(kSftAll, 8, of.answer_all, 2, 50, 3e-3, 0, 12);
  Recorder &dpo = add(kDpo, 8, 1, 30, of.post_moved, of.post_rate, of.dpo_answers, of.dpo_state, kSft),
           &near = add(kDpoNear, 8, 1, 10, 3, of.post_rate, 0, of.dpo_state, kSft);
  record_point(dpo, kChosen, 20, of.far), record_point(near, kChosen, 20, of.near);
  for (Recorder* pen : {&dpo, &near}) record_point(*pen, kRejected, 20, -4);
  add(kPpo, 8, 1, of.right_ppo, 3, of.post_rate, 1536, of.ppo_state, kSft);
  add(kGrpo, 8, 1, of.right_grpo, 3, of.post_rate, 1536, 16, kSft);
  Recorder& tokens = *store->add_section(kTokens, {}, 2).front();
  record_row<TokenRow>(tokens, {0, 10, of.few, 1e-3, 300});
  record_row<TokenRow>(tokens, {1, 990, 1.0 / 1980, 1e-3, 300});
  return store->snapshot();
}

std::string verdict(const std::string& claim, const Doctored& of) {
  return verdict_alone(kLesson, claim, doctored_trace(of));
}

}  // namespace

TEST_CASE("stages: what is predicted is what is measured, and every byte is explained") {
  const std::vector<std::string> words = quick_words(kLesson.id);
  const Trace trace = run_lesson(kLesson, words);
  CHECK(judge_alone(kLesson, "mean", trace).verdict == Verdict::kFails);
  for (const PredictionSpec& spec : kLesson.predictions)
    if (!spec.words)
      CHECK(spec.measured(trace).value_or(NAN) ==
            Approx(spec.formula(scenario_of(kLesson, words))).epsilon(0.01));
  REQUIRE_FALSE(trace.rows().ledger.empty());
  for (const LedgerRow& row : trace.rows().ledger) CHECK(row.unexplained() == 0);
  const auto stages = rows_in<StageRow>(trace);
  REQUIRE(stages.size() == 11);
  CHECK(stages[1].text < stages[0].text);  // it learns
  const ChangeRow masked = row_of<ChangeRow>(trace, kSft), all = row_of<ChangeRow>(trace, kSftAll);
  CHECK(masked.with_loss * 13 == all.with_loss * 4);  // a mask: 4 bytes of an answer, 13 that follow one
  for (const TokenRow& row : rows_in<TokenRow>(trace)) CHECK(row.weight == Approx(0.5 / double(row.tokens)));
  for (const StageRow& row : stages) CHECK(row.writes_task.size() == 13);
  check_shown(kLesson, trace);
}

TEST_CASE("stages: a claim follows the trace") {
  CHECK(verdicts_of(kLesson, doctored_trace({})) ==
        "mixing holds, loss partly, rl partly, least partly, chosen partly, reward holds, mean fails, models "
        "holds");
  CHECK(verdict("mixing", {.text_half = 2.79}) == "partly");
  CHECK(verdict("mixing", {.text_none = 2.7, .text_half = 2.75}) == "fails");
  CHECK(verdict("loss", {.answer_all = 0.75}) == "holds");
  CHECK(verdict("loss", {.answer_all = 6}) == "fails");
  CHECK(verdict("rl", {.dpo_answers = 100}) == "holds");
  CHECK(verdict("least", {.post_rate = 1e-2}) == "holds");
  CHECK(verdict("least", {.post_moved = 30}) == "fails");
  CHECK(verdict("chosen", {.near = 0.5}) == "holds");
  CHECK(verdict("chosen", {.far = -0.5}) == "fails");
  CHECK(verdict("reward", {.right_grpo = 9}) == "partly");
  CHECK(verdict("mean", {.few = 1.0 / 1980}) == "holds");
  CHECK(verdict("models", {.dpo_state = 12}) == "fails");
  CHECK(verdict("models", {.ppo_state = 17}) == "fails");
  CHECK(answer_of(kLesson, "chosen", doctored_trace({})) == Words{"down"});
  CHECK(answer_of(kLesson, "chosen", doctored_trace({.near = 1})) == Words{"up"});
  check_beliefs(kLesson);
  check_says_nothing(kLesson);
}

}  // namespace ringside::lessons::stages
