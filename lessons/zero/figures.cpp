#include "lesson.h"

#include <ranges>
#include "scenario.h"

namespace ringside::zero_lesson {
namespace {

using figure::kNone;

constexpr double kModels[] = {7, 70};  // billions of parameters
constexpr int kMostCards = 1000;

// ---- scale: what one card holds, over N -----------------------------------------

// Billions of parameters whose state fits on it.
double fits(const Config& config, int stage, int ranks) {
  ZeroSetup setup = planner_setup(config, stage);
  setup.ranks = ranks;
  return plan_stages(setup)[size_t(stage)].parameters_per_card / 1e9;
}

figure::Value scale(const FigureInput& input) {
  figure::Lines lines;
  lines.x = {.name = "ranks N", .log = true};
  lines.y = {.name = "billions of parameters whose state one 80 GB card holds", .log = true};
  lines.marks = {{"N = 8", 8}, {"N = 64", 64}};
  for (const double billions : kModels)
    lines.marks.push_back({fmt::format("{:g}B", billions), billions, false});
  for (int stage = 0; stage < kStages; ++stage) {
    figure::Line line{stage_name(stage), kStageInks[stage], figure::Stroke::kFormula, {}};
    for (int n = 1; n <= 512; n *= 2) line.points.push_back({double(n), fits(input.config, stage, n)});
    line.points.push_back({kMostCards, fits(input.config, stage, kMostCards)});
    lines.lines.push_back(std::move(line));
  }
  return lines;
}

// The least number of cards that hold a model's state; none up to a thousand.
std::optional<int> least_cards(const Config& config, int stage, double billions) {
  const auto cards = std::views::iota(1, kMostCards + 1);
  const auto least =
      std::ranges::partition_point(cards, [&](int n) { return fits(config, stage, n) < billions; });
  return least == cards.end() ? std::nullopt : std::optional(*least);
}

std::string scale_in_words(const FigureInput& input) {
  const double billions = kModels[1];
  const std::string at_64 =
      tr("With 64 cards of 80 GB, stage 0 holds the state of {:.0f} billion parameters, stage 3 of {:.0f}.",
         fits(input.config, 0, 64), fits(input.config, 3, 64));
  const auto cards = least_cards(input.config, 3, billions);
  const bool never = !least_cards(input.config, 0, billions);
  if (!cards || !never) return at_64;
  return at_64 + " " +
         tr("A model of {:g} billion fits from {} cards on in stage 3, and never in stage 0.", billions,
            *cards);
}

// ---- loss ------------------------------------------------------------------------

std::vector<figure::Point> losses(const Trace& trace, const SectionView& section) {
  std::vector<figure::Point> points;
  if (section.ranks() == 0) return points;
  for (const ScalarEvent& event : section.scalars(0)) {
    if (trace.name(event.name) != "loss") continue;
    points.push_back({double(event.step), std::isfinite(event.value) ? event.value : kNone});
  }
  return points;
}

std::vector<figure::Line> loss_lines(const Trace& trace) {
  std::vector<figure::Line> lines;
  for (int stage = 0; stage < kStages; ++stage) {
    const SectionView* section = longest_training(trace, stage);
    if (section == nullptr) continue;
    auto points = losses(trace, *section);
    if (points.empty()) continue;
    lines.push_back({stage_name(stage), kStageInks[stage], figure::Stroke::kMeasured, std::move(points)});
  }
  return lines;
}

figure::Value loss(const FigureInput& input) {
  return figure::Lines{{.name = "step"}, {.name = "loss"}, loss_lines(input.trace)};
}

std::string loss_in_words(const FigureInput& input) {
  const auto lines = loss_lines(input.trace);
  if (lines.size() < 2) return "";
  size_t common = lines[0].points.size(), equal = 0;
  for (const figure::Line& line : lines) common = std::min(common, line.points.size());
  const auto all_equal = [&](size_t step) {
    return std::ranges::all_of(lines, [&](const figure::Line& line) {
      const double a = line.points[step].y, b = lines[0].points[step].y;
      return a == b || (std::isnan(a) && std::isnan(b));
    });
  };
  while (equal < common && all_equal(equal)) ++equal;
  if (equal == common)
    return tr("The loss of {} stages is the same in all of their {} steps, to the last bit.", lines.size(),
              common);
  return tr("The losses of {} stages part at step {}: their sums are in another order.", lines.size(),
            lines[0].points[equal].x);
}

// ---- stages, beside each other ------------------------------------------------------

figure::TableCell cell(std::optional<double> value, double unit = 1) {
  return value ? figure::cell(*value / unit) : figure::cell("—");
}

// What answers a question that is still to be asked.
figure::TableCell unless_open(const FigureInput& input, const std::string& subject, int stage,
                              figure::TableCell told) {
  const bool open = input.is_open(question_id(subject, stage));
  return open ? figure::TableCell{tr("guess first")} : told;
}

std::optional<double> bytes_after_step(const Trace& trace, const SectionView& section) {
  const auto state = figure::state_after_step(trace, section);
  return state ? std::optional(state->total()) : std::nullopt;
}

figure::Value stages(const FigureInput& input) {
  figure::Table table{figure::columns({"stage", "peak MiB []", "sent Ψ []", "state MiB []"}), {}};
  for (int stage = 0; stage < kStages; ++stage) {
    const SectionView* section = input.trace.find(stage_name(stage));
    if (section == nullptr || section->ranks() == 0 || !section->has("parameters")) continue;
    if (input.section != nullptr && input.section->name() == section->name())
      table.lit.push_back(table.rows.size());
    table.rows.push_back(
        {{std::to_string(stage), double(stage)},
         unless_open(input, "state", stage, cell(double(figure::peak_bytes(input.trace, *section)), kMib)),
         unless_open(input, "sent", stage, cell(figure::sent_a_step(input.trace, *section))),
         unless_open(input, "state", stage, cell(bytes_after_step(input.trace, *section), kMib))});
  }
  return table;
}

std::vector<Attribute> stages_in_words(const FigureInput& input) {
  if (input.is_open("state_stage_3") || input.is_open("sent_stage_3")) return {};
  const SectionView &first = needed(stage_section(input.trace, 0)),
                    &last = needed(stage_section(input.trace, 3));
  const auto state = [&](const SectionView& one) { return needed(bytes_after_step(input.trace, one)); };
  const auto sent = [&](const SectionView& one) { return needed(figure::sent_a_step(input.trace, one)); };
  const double less = state(first) / state(last), more = needed(sent(last) / sent(first));
  return {less, more};
}

}  // namespace

std::vector<FigureOf> figures() {
  return {
      {"scale", scale, scale_in_words}, {"stages", stages, stages_in_words}, {"loss", loss, loss_in_words}};
}

}  // namespace ringside::zero_lesson
