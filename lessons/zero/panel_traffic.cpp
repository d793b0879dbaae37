// What the room has beside the run, in the figure of what is sent over N: the learner's guesses as lines, and
// dots of the other runs of this room.
#include "lesson.h"
#include "panel_parts.h"
#include "ringside/lesson/prediction.h"

namespace ringside::zero_panel {
namespace {

constexpr int kMostRanks = 8;

// Null for a stage that nothing is asked about.
const PredictionSpec* question(const Lesson& lesson, int stage) {
  const auto found = std::ranges::find_if(
      lesson.predictions, [&](const PredictionSpec& one) { return one.id == question_id("sent", stage); });
  return found == lesson.predictions.end() ? nullptr : &*found;
}

// They differ in N, and in what makes no difference here.
bool comparable(const Config& a, const Config& b) {
  for (const char* name : {"accumulate", "reduce", "reshard"})
    if (a.text(name) != b.text(name)) return false;
  return true;
}

figure::Line& line_of(figure::Lines& lines, const std::string& name, int stage) {
  for (figure::Line& line : lines.lines)
    if (line.name == name) return line;
  return lines.lines.emplace_back(name, zero_lesson::kStageInks[stage], figure::Stroke::kDots);
}

void add_runs(const View& view, int stage, figure::Lines& lines) {
  const std::string key = fmt::format("stage_{}_sent_psi_per_step", stage);
  for (const KeptFigures& run : *view.kept) {
    const auto found = run.outcome.find(key);
    if (found == run.outcome.end() || !comparable(*run.config, view.config)) continue;
    auto& points = line_of(lines, zero_lesson::sent_dots(stage), stage).points;
    const auto ranks = double(run.config->integer("ranks"));
    const auto place = std::lower_bound(points.begin(), points.end(), ranks,
                                        [](const figure::Point& point, double x) { return point.x < x; });
    if (place == points.end() || place->x != ranks) points.insert(place, {ranks, found->second});
  }
}

// A guess that is the formula needs no line of its own.
void add_guess(const View& view, const PredictionSpec& spec, int stage, figure::Lines& lines) {
  const Guess* guess = guess_of(view, spec.id);
  if (guess == nullptr || !guess->at) return;
  figure::Line line{tr("you, stage {}", stage), figure::Ink::kAccent, figure::Stroke::kGuess};
  bool is_right = view.asked != &spec;
  for (int n = 2; n <= kMostRanks; ++n) {
    const auto mine = guess->at(view.draft.with({fmt::format("ranks={}", n)}));
    const auto right = right_at(spec, view.draft, n);
    if (mine) line.points.push_back({double(n), *mine});
    is_right = is_right && mine && right && std::abs(*mine - *right) < 1e-6;
  }
  if (!is_right && !line.points.empty()) lines.lines.push_back(std::move(line));
}

}  // namespace

std::optional<figure::Value> with_this_room(const View& view, const FigureSpec& spec,
                                            const figure::Value& value) {
  if (spec.id != "traffic") return std::nullopt;
  const auto* drawn = std::get_if<figure::Lines>(&value);
  figure::Lines lines = drawn == nullptr ? zero_lesson::sent_axes() : *drawn;
  for (int stage = 0; stage < kStages; ++stage) {
    const PredictionSpec* asked = question(view.lesson, stage);
    if (asked == nullptr) continue;
    // While a question is answered, lines and dots that would tell it, or one that is still to come, are left
    // out.
    const bool guessed = guess_of(view, asked->id) != nullptr;
    if (view.asked == asked || (view.asked != nullptr && !guessed))
      std::erase_if(lines.lines, [&](const figure::Line& line) {
        return line.name == stage_name(stage) || line.name == zero_lesson::sent_dots(stage);
      });
    else if (!view.hides(asked->id))
      add_runs(view, stage, lines);
    add_guess(view, *asked, stage, lines);
  }
  if (lines.lines.empty()) return figure::Nothing{tr("Type a formula: it becomes a line over N.")};
  return lines;
}

}  // namespace ringside::zero_panel
