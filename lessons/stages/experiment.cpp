// What the source says of the stages against what was measured.
#include "embedded.h"
#include "parts.h"

namespace ringside::lessons::stages {
namespace {

using namespace figure;

StageRow model(const Trace& trace, const std::string& stage) {
  return needed(row_where<StageRow>(trace, having(&StageRow::stage, stage)));
}
ChangeRow change(const Trace& trace, const std::string& stage) {
  return needed(row_where<ChangeRow>(trace, having(&ChangeRow::stage, stage)));
}
PairRow pairs(const Trace& trace, const std::string& stage) {
  return needed(row_where<PairRow>(trace, having(&PairRow::stage, stage)));
}
TokenRow tokens(const Trace& trace, int64_t rank) {
  return needed(row_where<TokenRow>(trace, having(&TokenRow::rank, rank)));
}

// ---- Questions ----------------------------------------------------------------------

double first_loss(const Trace& trace) { return pairs(trace, kDpo).first_loss; }

int where_chosen_goes(const Trace& trace) {  // of the options
  const double chosen = pairs(trace, kDpoNear).chosen;
  return std::abs(chosen) < 0.05 ? 2 : chosen > 0 ? 0 : 1;
}

double weight_of_few(const Trace& trace) { return tokens(trace, 0).weight / tokens(trace, 1).weight; }

// Of DPO over SFT, percent.
double state_of_dpo(const Trace& trace) {
  return 100 * (double(change(trace, kDpo).state) / double(change(trace, kSft).state) - 1);
}

// ---- Claims -------------------------------------------------------------------------

ClaimResult mixing(const Trace& trace) {
  const StageRow before = model(trace, kPretraining), none = model(trace, continual(0)),
                 half = model(trace, continual(50));
  const double forgotten = none.text - before.text, with_half = half.text - before.text;
  return {both(forgotten > 0.02, with_half < 0.5 * forgotten),
          tr("loss of the old text: {:+.2f} nats with none of it, {:+.2f} with half; the new text's falls to "
             "{:.2f} "
             "and {:.2f} from {:.2f}",
             forgotten, with_half, none.cpp, half.cpp, before.cpp)};
}

ClaimResult same_loss(const Trace& trace) {
  const StageRow masked = model(trace, kSft), all = model(trace, kSftAll);
  const double share = 100 * double(masked.with_loss) / double(masked.read);
  return {both(all.answer < model(trace, kContinued).answer, all.answer < masked.answer + 0.1),
          tr("the loss of pre-training, on {:.0f} % of the bytes. But the mask matters: after as many steps "
             "a byte of an "
             "answer costs {:.2f} nats with it, {:.2f} without",
             share, masked.answer, all.answer)};
}

ClaimResult reinforcement(const Trace& trace) {
  const ChangeRow dpo = change(trace, kDpo), ppo = change(trace, kPpo);
  return {both(ppo.answers > 0, dpo.answers > 0),
          tr("PPO wrote {} answers and had a reward for each. DPO wrote {}: it is a loss on given pairs, as "
             "in supervised "
             "learning",
             format_count(ppo.answers), dpo.answers)};
}

ClaimResult least(const Trace& trace) {
  double post = 0, post_step = 0, earlier = HUGE_VAL, earlier_step = HUGE_VAL;
  for (const ChangeRow& row : needed(rows_in<ChangeRow>(trace)))
    if (is_post_training(row.stage))
      post = std::max(post, row.moved), post_step = std::max(post_step, row.per_step());
    else
      earlier = std::min(earlier, row.moved), earlier_step = std::min(earlier_step, row.per_step());
  if (post == 0 || !std::isfinite(earlier)) throw NotRun();
  return {both(post < earlier, post_step < earlier_step),
          tr("post-training moves the weights by {:.1f} % at most, the earlier stages by {:.1f} % at least. "
             "Per step and "
             "unit of the learning rate: {:.0f} at most, {:.0f} at least",
             post, earlier, post_step, earlier_step)};
}

ClaimResult chosen_rises(const Trace& trace) {
  const PairRow far = pairs(trace, kDpo), near = pairs(trace, kDpoNear);
  return {both(far.chosen > 0.05, near.chosen > 0.05),
          tr("log-probability of the chosen answer {:+.2f} (rejected {:+.2f}); of pairs that differ in two "
             "digits {:+.2f} "
             "({:+.2f})",
             far.chosen, far.rejected, near.chosen, near.rejected)};
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
  const double sft = double(change(trace, kSft).state);
  const auto times = [&](const char* stage) { return double(change(trace, stage).state) / sft; };
  return holds_if(times(kDpo) > 1.1 && times(kPpo) > 1.5 * times(kGrpo),
                  tr("state on rank 0, of SFT's: DPO {:.2f}, GRPO {:.2f} times (a reference), PPO {:.2f} (a "
                     "critic as well; "
                     "the reward is a function here, so no fourth model)",
                     times(kDpo), times(kGrpo), times(kPpo)));
}

// ---- Figures ------------------------------------------------------------------------

std::string samples_sentence(const FigureInput& input) {
  std::string sentence;
  for (const SectionView& section : input.trace.sections())
    if (const auto row = last_row<SampleRow>(&section))
      sentence = tr("After {} the model writes \"{}\" and \"{}\".", row->stage, row->text, row->task);
  return sentence;
}

Value losses(const FigureInput& input) {
  Bars bars{{tr("held-out loss of a byte"), "nats", false, 0.0},
            {{tr("text"), hue(0)}, {tr("C++"), hue(1)}},
            {},
            false};
  for (const StageRow& row : needed(rows_in<StageRow>(input.trace)))
    bars.rows.push_back({row.stage, {row.text, row.cpp}});
  return bars;
}

Value changes(const FigureInput& input) {
  Table table{columns({"stage", "steps []", "moved [%]", "KL [nats]", "bf16 changed [%]",
                       "moved / (steps x rate) []"}),
              {}};
  for (const ChangeRow& row : needed(rows_in<ChangeRow>(input.trace)))
    table.rows.push_back(cells(row.stage, row.steps, cell(row.moved, 1), row.kl, cell(row.changed, 0),
                               cell(row.per_step(), 0)));
  return table;
}

Value held(const FigureInput& input) {
  Table table{columns({"stage", "read []", "with a loss []", "answers written []", "state [bytes]",
                       "sent a step [bytes]"}),
              {}};
  for (const ChangeRow& row : needed(rows_in<ChangeRow>(input.trace)))
    if (const auto of = row_where<StageRow>(input.trace, having(&StageRow::stage, row.stage)))
      table.rows.push_back(cells(row.stage, of->read, of->with_loss, row.answers,
                                 TableCell{format_bytes(double(row.state)), double(row.state)},
                                 TableCell{format_bytes(double(row.sent)), double(row.sent)}));
  return table;
}

// name, section, its line; all begin at the model after SFT.
Value lines_over_steps(const FigureInput& input, Axis y, double first,
                       const std::vector<std::array<std::string, 3>>& lines) {
  Lines all{{tr("step")}, std::move(y), {}};
  for (const auto& [name, section, line] : lines) {
    std::vector<Point> points = curve(input.trace, section.c_str(), line);
    if (points.empty()) continue;
    points.insert(points.begin(), {0, first});
    all.lines.push_back({name, hue(all.lines.size()), Stroke::kMeasured, std::move(points)});
  }
  return all;
}

Value right(const FigureInput& input) {
  return lines_over_steps(input, {tr("right answers"), "%"}, model(input.trace, kSft).right,
                          {{kDpo, kDpo, "right"}, {kPpo, kPpo, "right"}, {kGrpo, kGrpo, "right"}});
}

Value distance(const FigureInput& input) {
  return lines_over_steps(input, {tr("KL of an answer's byte"), "nats"}, 0,
                          {{kDpo, kDpo, "KL"}, {kPpo, kPpo, "KL"}, {kGrpo, kGrpo, "KL"}});
}

Value pair_lines(const FigureInput& input) {
  return lines_over_steps(input, {tr("log-probability, change"), "nats"}, 0,
                          {{tr("chosen"), kDpo, "chosen"},
                           {tr("rejected"), kDpo, "rejected"},
                           {tr("chosen, near"), kDpoNear, "chosen"},
                           {tr("rejected, near"), kDpoNear, "rejected"}});
}

Value token_bars(const FigureInput& input) {
  Bars bars{{tr("weight of one token"), "", true},
            {{tr("mean of means"), hue(0)}, {tr("one mean"), hue(1)}},
            {},
            false};
  for (const TokenRow& row : needed(rows_in<TokenRow>(input.trace)))
    bars.rows.push_back({tr("rank {}, {} tokens", row.rank, row.tokens), {row.weight, row.fair}});
  return bars;
}

}  // namespace

Lesson make_lesson() {
  return lesson_of(embedded("texts.inc"), {.run = run,
                                           .as_processes = true,
                                           .questions = {{"first", first_loss},
                                                         {"chosen", where_chosen_goes},
                                                         {"token", weight_of_few},
                                                         {"state", state_of_dpo}},
                                           .claims = {{"mixing", mixing},
                                                      {"loss", same_loss},
                                                      {"rl", reinforcement},
                                                      {"least", least},
                                                      {"chosen", chosen_rises},
                                                      {"reward", rewarded},
                                                      {"mean", whole_mean},
                                                      {"models", models_held}},
                                           .figures = {{"samples", {}, samples_sentence},
                                                       {"losses", losses},
                                                       {"changes", changes},
                                                       {"right", right},
                                                       {"distance", distance},
                                                       {"pairs", pair_lines},
                                                       {"tokens", token_bars},
                                                       {"held", held}}});
}

}  // namespace ringside::lessons::stages
