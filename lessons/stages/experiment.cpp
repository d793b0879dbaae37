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
  return {both(forgotten > 0.02, with_half < 0.5 * forgotten),
          tr("loss of the old text: {:+.2f} nats with none of it, {:+.2f} with half; the new text's falls to "
             "{:.2f} and {:.2f} from {:.2f}",
             forgotten, with_half, none.cpp, half.cpp, before.cpp)};
}

ClaimResult same_loss(const Trace& trace) {
  const StageRow masked = model(trace, kSft), all = model(trace, kSftAll);
  const ChangeRow tokens = change(trace, kSft);
  const double share = 100 * double(tokens.with_loss) / double(tokens.read);
  return {both(all.answer < model(trace, kContinued).answer, all.answer < masked.answer + 0.1),
          tr("the loss of pre-training, on {:.0f} % of the bytes. But the mask matters: after as many steps "
             "a byte of an answer costs {:.2f} nats with it, {:.2f} without",
             share, masked.answer, all.answer)};
}

ClaimResult reinforcement(const Trace& trace) {
  const ChangeRow dpo = change(trace, kDpo), ppo = change(trace, kPpo);
  return {both(ppo.answers > 0, dpo.answers > 0),
          tr("PPO wrote {} answers and had a reward for each. DPO wrote {}: it is a loss on given pairs, as "
             "in supervised learning",
             format_count(ppo.answers), dpo.answers)};
}

ClaimResult least(const Trace& trace) {
  double post = 0, post_step = 0, earlier = HUGE_VAL, earlier_step = HUGE_VAL;
  for (const ChangeRow& row : needed(rows_in<ChangeRow>(trace)))
    if (row.is_post_training())
      post = std::max(post, row.moved), post_step = std::max(post_step, row.per_step());
    else
      earlier = std::min(earlier, row.moved), earlier_step = std::min(earlier_step, row.per_step());
  if (post == 0 || !std::isfinite(earlier)) throw NotRun();
  return {both(post < earlier, post_step < earlier_step),
          tr("post-training moves the weights by {:.1f} % at most, the earlier stages by {:.1f} % at least. "
             "Per step and unit of the learning rate: {:.0f} at most, {:.0f} at least",
             post, earlier, post_step, earlier_step)};
}

ClaimResult chosen_rises(const Trace& trace) {
  const double far = answer(trace, kDpo, kChosen), near = answer(trace, kDpoNear, kChosen);
  return {both(far > 0.05, near > 0.05),
          tr("log-probability of the chosen answer {:+.2f} (rejected {:+.2f}); of pairs that differ in two "
             "digits {:+.2f} ({:+.2f})",
             far, answer(trace, kDpo, kRejected), near, answer(trace, kDpoNear, kRejected))};
}

ClaimResult rewarded(const Trace& trace) {
  const double before = model(trace, kSft).right, ppo = model(trace, kPpo).right,
               grpo = model(trace, kGrpo).right;
  return {both(ppo > before + 2, grpo > before + 2),
          tr("right answers {:.0f} % after SFT, {:.0f} % after PPO, {:.0f} % after GRPO", before, ppo, grpo)};
}

ClaimResult whole_mean(const Trace& trace) {
  const TokenRow few = tokens(trace, 0), many = tokens(trace, 1);
  return holds_if(
      few.weight < 1.05 * many.weight,
      tr("a token of {} weighs {:.0f} times one of {}; the gradient differs by {:.0f} % of its length",
         few.tokens, few.weight / many.weight, many.tokens, few.difference));
}

ClaimResult models_held(const Trace& trace) {
  const double dpo = state_of(trace, kDpo), grpo = state_of(trace, kGrpo), ppo = state_of(trace, kPpo);
  return holds_if(dpo > 1.1 && ppo > 1.5 * grpo,
                  tr("state on rank 0, of SFT's: DPO {:.2f}, GRPO {:.2f} times (a reference), PPO {:.2f} (a "
                     "critic as well; the reward is a function here, so no fourth model)",
                     dpo, grpo, ppo));
}

std::string samples_sentence(const FigureInput& input) {
  const StageRow row = needed(rows_in<StageRow>(input.trace)).back();
  return tr("After {} the model writes \"{}\" and \"{}\".", row.stage, row.writes_text, row.writes_task);
}

BarRow losses(const StageRow& row) { return {row.stage, {row.text, row.cpp}}; }
BarRow weights(const TokenRow& row) {
  return {tr("rank {}, {} tokens", row.rank, row.tokens), {row.weight, row.fair}};
}
std::vector<TableCell> changes(const ChangeRow& row) {
  return cells(row.stage, row.steps, cell(row.moved, 1), row.kl, cell(row.changed, 0),
               cell(row.per_step(), 0));
}

std::vector<TableCell> held(const ChangeRow& row) {
  return cells(row.stage, row.read, row.with_loss, row.answers, bytes_cell(row.state), bytes_cell(row.sent));
}

}  // namespace

Lesson make_lesson() {
  return lesson_of(
      embedded("texts.inc"),
      {.run = run,
       .as_processes = true,
       .questions =
           {{"first", first_loss}, {"chosen", chosen_goes}, {"token", weight_of_few}, {"state", more_of_dpo}},
       .claims = {{"mixing", mixing},
                  {"loss", same_loss},
                  {"rl", reinforcement},
                  {"least", least},
                  {"chosen", chosen_rises},
                  {"reward", rewarded},
                  {"mean", whole_mean},
                  {"models", models_held}},
       .figures = {{"samples", {}, samples_sentence},
                   {"losses", bars_of_each(losses, {tr("held-out loss of a byte"), "nats", false, 0.0},
                                           {tr("text"), tr("C++")})},
                   {"changes", table_of_each(changes, {"stage", "steps []", "moved [%]", "KL [nats]",
                                                       "bf16 changed [%]", "moved / (steps x rate) []"})},
                   {"tokens", bars_of_each(weights, {tr("weight of one token"), "", true},
                                           {tr("mean of means"), tr("one mean")})},
                   {"held", table_of_each(held, {"stage", "read []", "with a loss []", "answers written []",
                                                 "state [bytes]", "sent a step [bytes]"})}}});
}

}  // namespace ringside::lessons::stages
