// What the source says of the stages against what was measured.
#include "embedded.h"
#include "parts.h"
#include "ringside/figures/training_facts.h"

namespace ringside::lessons::stages {
namespace {

using namespace figure;

StageRow model(const Trace& trace, const std::string& stage) { return row_of<StageRow>(trace, stage); }
ChangeRow change(const Trace& trace, const std::string& stage) { return row_of<ChangeRow>(trace, stage); }
TokenRow tokens(const Trace& trace, int64_t rank) { return row_of<TokenRow>(trace, rank); }
// Log-probability of a whole answer after a DPO, less before.
double answer(const Trace& trace, const char* stage, const char* which) {
  return needed(last_of(trace, stage, which));
}

double first_loss(const Trace& trace) {
  return needed(scalar_series(trace, needed(trace.find(kDpo)), "loss")).front();
}

int chosen_goes(const Trace& trace) {  // of the options
  const double chosen = answer(trace, kDpoNear, kChosen);
  return std::abs(chosen) < 0.05 ? 2 : chosen > 0 ? 0 : 1;
}

double weight_of_few(const Trace& trace) { return tokens(trace, 0).weight / tokens(trace, 1).weight; }

double state_of(const Trace& trace, const char* stage) {  // in those of SFT
  return double(change(trace, stage).state) / double(change(trace, kSft).state);
}
double more_of_dpo(const Trace& trace) { return 100 * (state_of(trace, kDpo) - 1); }  // percent

ClaimResult mixing(const Trace& trace) {
  const StageRow before = model(trace, kPretraining), none = model(trace, continual(0)),
                 half = model(trace, continual(50));
  const double forgotten = none.text - before.text, with_half = half.text - before.text;
  return judged(both(forgotten > 0.02, with_half < 0.5 * forgotten), forgotten, with_half, none.cpp, half.cpp,
                before.cpp);
}

ClaimResult same_loss(const Trace& trace) {
  const StageRow masked = model(trace, kSft), all = model(trace, kSftAll);
  const ChangeRow tokens = change(trace, kSft);
  const double share = 100 * double(tokens.with_loss) / double(tokens.read);
  return judged(both(all.answer < model(trace, kContinued).answer, all.answer < masked.answer + 0.1), share,
                masked.answer, all.answer);
}

ClaimResult reinforcement(const Trace& trace) {
  const ChangeRow dpo = change(trace, kDpo), ppo = change(trace, kPpo);
  return judged(both(ppo.answers > 0, dpo.answers > 0), format_count(ppo.answers), dpo.answers);
}

ClaimResult least(const Trace& trace) {
  double post = 0, post_step = 0, earlier = HUGE_VAL, earlier_step = HUGE_VAL;
  for (const ChangeRow& row : needed(rows_in<ChangeRow>(trace)))
    if (row.from == kSft)
      post = std::max(post, row.moved), post_step = std::max(post_step, row.per_step);
    else
      earlier = std::min(earlier, row.moved), earlier_step = std::min(earlier_step, row.per_step);
  if (post == 0 || !std::isfinite(earlier)) throw NotRun();
  return judged(both(post < earlier, post_step < earlier_step), post, earlier, post_step, earlier_step);
}

ClaimResult chosen_rises(const Trace& trace) {
  const double far = answer(trace, kDpo, kChosen), near = answer(trace, kDpoNear, kChosen);
  return judged(both(far > 0.05, near > 0.05), far, answer(trace, kDpo, kRejected), near,
                answer(trace, kDpoNear, kRejected));
}

ClaimResult rewarded(const Trace& trace) {
  const double before = model(trace, kSft).right, ppo = model(trace, kPpo).right,
               grpo = model(trace, kGrpo).right;
  return judged(both(ppo > before + 2, grpo > before + 2), before, ppo, grpo);
}

ClaimResult whole_mean(const Trace& trace) {
  const TokenRow few = tokens(trace, 0), many = tokens(trace, 1);
  return judged(few.weight < 1.05 * many.weight, few.tokens, few.weight / many.weight, many.tokens,
                few.difference);
}

ClaimResult models_held(const Trace& trace) {
  const double dpo = state_of(trace, kDpo), grpo = state_of(trace, kGrpo), ppo = state_of(trace, kPpo);
  return judged(dpo > 1.1 && ppo > 1.5 * grpo, dpo, grpo, ppo);
}

std::vector<Attribute> samples_sentence(const FigureInput& input) {
  const StageRow row = needed(rows_in<StageRow>(input.trace)).back();
  return {row.stage, row.writes_text, row.writes_task};
}

}  // namespace

Lesson make_lesson() {
  return lesson_of(embedded("texts.inc"), {.run = run,
                                           .as_processes = true,
                                           .questions = {{"first", first_loss},
                                                         {"chosen", chosen_goes},
                                                         {"token", weight_of_few},
                                                         {"state", more_of_dpo}},
                                           .claims = {{"mixing", mixing},
                                                      {"loss", same_loss},
                                                      {"rl", reinforcement},
                                                      {"least", least},
                                                      {"chosen", chosen_rises},
                                                      {"reward", rewarded},
                                                      {"mean", whole_mean},
                                                      {"models", models_held}},
                                           .figures = {{"samples", {}, samples_sentence}}});
}

}  // namespace ringside::lessons::stages
