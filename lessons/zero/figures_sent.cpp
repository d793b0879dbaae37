// What a rank sends in a step, over N: lines by the formula, a dot where the run measured.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "attributes.h"
#include "figures.h"
#include "measure.h"
#include "ringside/lesson/tr.h"
#include "scenario.h"

namespace ringside::zero_lesson {
namespace {

constexpr int kMostRanks = 8;

struct Measured {
  int ranks;
  double psi;
};

// None while that stage's question is still to be asked.
std::optional<Measured> measured(const FigureInput& input, int stage) {
  if (input.is_open(question_id("sent", stage))) return std::nullopt;
  const SectionView* section = input.trace.find(stage_name(stage));
  if (section == nullptr || section->ranks() == 0 || !section->has("parameters")) return std::nullopt;
  const auto psi = sent_a_step(input.trace, *section);
  return psi ? std::optional(Measured{section->ranks(), *psi}) : std::nullopt;
}

figure::Value sent_over_ranks(const FigureInput& input) {
  figure::Lines lines;
  lines.x = {.name = "ranks N"};
  lines.y = {.name = "sent per rank and step", .unit = "Ψ", .least = 0};
  for (int stage = 0; stage < kStages; ++stage) {
    if (input.is_open(question_id("sent", stage))) continue;
    figure::Line line{stage_name(stage), kStageInks[stage], figure::Stroke::kFormula, {}};
    ZeroSetup setup = planner_setup(input.config, stage);
    for (setup.ranks = 2; setup.ranks <= kMostRanks; ++setup.ranks)
      line.points.push_back({double(setup.ranks), zero_traffic(setup).total() / setup.parameters});
    lines.lines.push_back(std::move(line));
  }
  for (int stage = 0; stage < kStages; ++stage) {
    const auto one = measured(input, stage);
    if (!one) continue;
    lines.lines.push_back({tr("stage {}, measured", stage),
                           kStageInks[stage],
                           figure::Stroke::kDots,
                           {{double(one->ranks), one->psi}}});
  }
  if (lines.lines.empty()) return figure::Nothing{tr("Guess first.")};
  return lines;
}

std::string sent_in_words(const FigureInput& input) {
  std::vector<std::string> stages, figures;
  for (int stage = 0; stage < kStages; ++stage) {
    const auto one = measured(input, stage);
    if (!one) continue;
    stages.push_back(std::to_string(stage));
    figures.push_back(fmt::format("{:.2f}", one->psi));
  }
  if (stages.empty())
    return tr("No stage has ended a step: the lines are calculated, nothing is measured yet.");
  return tr("Measured: stages {} send {} Ψ a rank and step. Lines are calculated.", fmt::join(stages, ", "),
            fmt::join(figures, ", "));
}

}  // namespace

FigureSpec traffic_figure() {
  return {.id = "traffic",
          .title = "traffic",
          .value = sent_over_ranks,
          .sentence = sent_in_words,
          .answers = questions_about({"sent_"})};
}

}  // namespace ringside::zero_lesson
