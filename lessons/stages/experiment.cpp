// What the source says of the stages against what was measured.
#include "embedded.h"
#include "parts.h"
#include "ringside/figures/training_facts.h"

namespace ringside::lessons::stages {
namespace {

using namespace figure;

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

}  // namespace

Lesson make_lesson() {
  return lesson_of(embedded("texts.inc"), {.run = run,
                                           .as_processes = true,
                                           .questions = {{"first", first_loss}, {"chosen", chosen_goes}},
                                           .claims = {{"least", least}, {"chosen", chosen_rises}}});
}

}  // namespace ringside::lessons::stages
