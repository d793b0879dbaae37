// What a rank sends in a step, over N: lines by the formula, dots where runs measured.
#include "lesson.h"
#include "scenario.h"

namespace ringside::zero_lesson {
namespace {

constexpr int kMostRanks = 8;

// Ψ a step; none while that stage's question is still to be asked.
std::optional<double> measured(const FigureInput& input, int stage) {
  const SectionView* section = input.trace.find(stage_name(stage));
  if (section == nullptr || input.is_open(question_id("sent", stage))) return std::nullopt;
  return figure::sent_a_step(input.trace, *section);
}

figure::Value sent_over_ranks(const FigureInput& input) {
  figure::Lines lines = sent_axes();
  for (int stage = 0; stage < kStages; ++stage) {
    if (input.is_open(question_id("sent", stage))) continue;
    figure::Line line{stage_name(stage), kStageInks[stage], figure::Stroke::kFormula, {}};
    ZeroSetup setup = planner_setup(input.config, stage);
    for (setup.ranks = 2; setup.ranks <= kMostRanks; ++setup.ranks)
      line.points.push_back({double(setup.ranks), zero_traffic(setup).total() / setup.parameters});
    lines.lines.push_back(std::move(line));
  }
  for (int stage = 0; stage < kStages; ++stage) {
    const auto psi = measured(input, stage);
    if (!psi) continue;
    const double ranks = data_ranks(*input.trace.find(stage_name(stage)));
    lines.lines.push_back({sent_dots(stage), kStageInks[stage], figure::Stroke::kDots, {{ranks, *psi}}});
  }
  if (lines.lines.empty())
    return figure::Nothing{
        tr("Guess first: a formula becomes a line over N, and the dots of its stage come with it.")};
  return lines;
}

std::string all_in_words(const FigureInput& input) {
  std::vector<std::string> stages, figures;
  for (int stage = 0; stage < kStages; ++stage) {
    const auto psi = measured(input, stage);
    if (!psi) continue;
    stages.push_back(std::to_string(stage));
    figures.push_back(fmt::format("{:.2f}", *psi));
  }
  if (stages.empty())
    return tr("No stage has ended a step: the lines are calculated, nothing is measured yet.");
  return tr("Measured: stages {} send {} Ψ per rank and step. Lines are calculated.", fmt::join(stages, ", "),
            fmt::join(figures, ", "));
}

// Of the stage that is watched, else of all.
std::string sent_in_words(const FigureInput& input) {
  const int stage = input.section == nullptr ? -1 : stage_of(*input.section);
  if (stage < 0) return all_in_words(input);
  if (input.is_open(question_id("sent", stage)))
    return tr("What does a rank send in a step of stage {}? Guess first.", stage);
  const auto sent = measured(input, stage), first = measured(input, 0);
  if (!sent) return tr("No step of stage {} has ended yet.", stage);
  if (stage == 0 || !first || *first == 0)
    return tr("In a step of stage {} a rank sends {:.2f} Ψ elements.", stage, *sent);
  if (std::abs(*sent - *first) < 0.005 * *first)
    return tr(
        "A rank sends {:.2f} Ψ in a step of stage {}, as much as in stage 0: the update runs between the "
        "two halves of the all-reduce.",
        *sent, stage);
  return tr("A rank sends {:.2f} Ψ in a step of stage {}, {:.2f} times as much as in stage 0.", *sent, stage,
            *sent / *first);
}

// ---- Adam behind the all-reduce, or between its halves ------------------------------

// Measured where the run has come so far, calculated where it has not. State is of rank 0.
struct Facts {
  double sent = 0;  // Ψ a step
  State state;
  bool sent_measured = false, state_measured = false;
};

Facts facts_of(const FigureInput& input, int stage) {
  const SectionView* section = input.trace.find(stage_name(stage));
  const auto sent = section == nullptr ? std::nullopt : figure::sent_a_step(input.trace, *section);
  const auto state = section == nullptr ? std::nullopt : figure::state_after_step(input.trace, *section);
  const ZeroSetup setup = planner_setup(input.config, stage);
  const StateBytes planned = zero_state(setup);
  return {sent.value_or(zero_traffic(setup).total() / setup.parameters),
          state.value_or(State{planned.parameters, planned.gradients, planned.optimizer}), sent.has_value(),
          state.has_value()};
}

constexpr double kHalf = 2, kAdam = 1;  // widths; both halves and Adam are as wide as all of the state

figure::BoxRow collectives_row(const FigureInput& input, int stage, const Facts& facts) {
  // With reduce=all_reduce, DeepSpeed's default, stage 1 sums by a whole all-reduce: that is no half.
  const bool whole = stage == 1 && input.config.text("reduce") == "all_reduce";
  const bool tells = !input.is_open(question_id("sent", stage));
  const figure::Box adam{.text = tr("update"), .ink = figure::Ink::kOptimizer, .width = kAdam};
  const figure::Box first{.text = whole ? tr("all-reduce of gradients") : tr("reduce-scatter of gradients"),
                          .ink = figure::Ink::kGradients,
                          .width = kHalf};
  figure::Box second{.text = tr("all-gather of gradients"), .ink = figure::Ink::kGradients, .width = kHalf};
  if (stage == 1)
    second = {.text = tr("all-gather of parameters"), .ink = figure::Ink::kParameters, .width = kHalf};
  figure::BoxRow row{.name = stage_name(stage), .boxes = {}};
  row.boxes = stage == 0 ? std::vector{first, second, adam} : std::vector{first, adam, second};
  row.word = !tells                ? tr("sent: guess first")
             : facts.sent_measured ? tr("sent {:.2f} Ψ, measured", facts.sent)
                                   : tr("sent {:.2f} Ψ, calculated", facts.sent);
  return row;
}

figure::BoxRow state_row(const FigureInput& input, int stage, const Facts& facts, const State& before) {
  figure::BoxRow row{.name = tr("a rank keeps"), .boxes = {}};
  const double unit = (2 * kHalf + kAdam) / before.total();
  if (stage == 1 && input.is_open(question_id("state", 1))) {
    row.boxes = {{.text = tr("What does each rank keep then? Guess stage 1 first."),
                  .ink = figure::Ink::kDim,
                  .width = 2 * kHalf + kAdam,
                  .filled = false}};
    return row;
  }
  State own = facts.state, whole = before;
  for (const auto& [category, letter] :
       {std::pair(Category::kParameters, "P"), {Category::kGradients, "G"}, {Category::kOptimizer, "O"}}) {
    const double bytes = own.of(category), rest = whole.of(category) - bytes;
    row.boxes.push_back({.text = letter,
                         .ink = figure::ink_of(category),
                         .width = bytes * unit,
                         .detail = format_bytes(bytes)});
    if (rest > 0)
      row.boxes.push_back({.text = "",
                           .ink = figure::ink_of(category),
                           .width = rest * unit,
                           .filled = false,
                           .detail = tr("on other ranks: {}", format_bytes(rest))});
  }
  row.word = facts.state_measured ? tr("{}, measured", format_bytes(own.total()))
                                  : tr("{}, calculated", format_bytes(own.total()));
  return row;
}

figure::Value adam(const FigureInput& input) {
  figure::Boxes boxes;
  const Facts zero = facts_of(input, 0), one = facts_of(input, 1);
  boxes.rows = {collectives_row(input, 0, zero), state_row(input, 0, zero, zero.state),
                collectives_row(input, 1, one), state_row(input, 1, one, zero.state)};
  return boxes;
}

std::string adam_in_words(const FigureInput& input) {
  if (input.is_open("sent_stage_0") || input.is_open("sent_stage_1"))
    return tr("Put the update between the two halves of the all-reduce: what changes?");
  if (std::abs(facts_of(input, 0).sent - facts_of(input, 1).sent) < 0.005)
    return tr("The same bytes: the update moves between the two halves of the all-reduce.");
  return tr("With reduce=all_reduce the first half costs as much as both.");
}

}  // namespace

std::vector<FigureOf> sent_figures() {
  return {{"traffic", sent_over_ranks, sent_in_words}, {"adam", adam, adam_in_words}};
}

}  // namespace ringside::zero_lesson
