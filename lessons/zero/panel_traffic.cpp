#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "panel_parts.h"
#include "ringside/lesson/prediction.h"
#include "ringside/lesson/tr.h"
#include "ringside/widgets/items.h"

namespace ringside::zero_panel {
namespace {

using ui::px;

constexpr int kMostRanks = 8;

// Runs of this room that may stand in one picture: they differ in N, and in what makes no difference here.
bool comparable(const Config& a, const Config& b) {
  for (const char* name : {"accumulate", "reduce", "reshard"})
    if (a.text(name) != b.text(name)) return false;
  return true;
}

// A guess that is the formula needs no line of its own.
bool is_the_same(const std::vector<ui::Point>& guess, const std::vector<ui::Point>& formula) {
  return guess.size() == formula.size() &&
         std::equal(guess.begin(), guess.end(), formula.begin(),
                    [](const ui::Point& a, const ui::Point& b) { return std::abs(a.y - b.y) < 1e-6; });
}

}  // namespace

// Formulas of what was guessed or may be told, the learner's own where they were typed. Computed where the
// controls, the question or the answers have changed.
void Traffic::add_formulas(const View& view) {
  std::string key =
      view.draft.scenario(true) + (view.asked ? view.asked->id : "") + (view.revealing ? "!" : "");
  for (int stage = 0; stage < kStages; ++stage) {
    const Guess* guess = guess_of(view, question_id("sent", stage));
    if (guess != nullptr) key += fmt::format(" {} {} {}", stage, guess->formula, guess->value);
    if (view.hides(question_id("sent", stage))) key += fmt::format(" ?{}", stage);
  }
  if (key == curves_of_) return;
  curves_of_ = key;
  curves_.assign(kStages, {});
  for (int stage = 0; stage < kStages; ++stage) {
    SentCurve& curve = curves_[static_cast<size_t>(stage)];
    curve.stage = stage;
    const PredictionSpec* spec = question(view.lesson, "sent", stage);
    if (spec == nullptr) continue;
    const bool hidden = view.asked == spec || view.hides(spec->id);
    const Guess* guess = guess_of(view, spec->id);
    for (int n = 2; n <= kMostRanks; ++n) {
      const auto right = right_at(*spec, view.draft, n);
      if (right && !hidden && (guess != nullptr || view.revealing))
        curve.formula.push_back({double(n), *right});
      if (guess == nullptr || !guess->at) continue;
      const auto mine = guess->at(view.draft.with({"ranks=" + std::to_string(n)}));
      if (mine) curve.guess.push_back({double(n), *mine});
    }
    if (is_the_same(curve.guess, curve.formula)) curve.guess.clear();
  }
}

// Of this room's finished runs, and of the one under way as soon as a stage has taken a step. A stage whose
// question is open has no dots.
void Traffic::add_measured(const View& view, const Indexes& indexes) {
  for (SentCurve& curve : curves_) {
    curve.measured.clear();
    const PredictionSpec* spec = question(view.lesson, "sent", curve.stage);
    if (spec != nullptr && (view.asked == spec || view.hides(spec->id))) continue;
    if (view.asked != nullptr && curve.formula.empty()) continue;
    const std::string key = fmt::format("stage_{}_sent_psi_per_step", curve.stage);
    const auto add = [&](int64_t ranks, double psi) {
      std::erase_if(curve.measured, [&](const ui::Point& point) { return point.x == double(ranks); });
      curve.measured.push_back({double(ranks), psi});
    };
    for (const KeptFigures& run : *view.kept) {
      const auto found = run.outcome.find(key);
      if (found != run.outcome.end() && comparable(*run.config, view.config))
        add(run.config->integer("ranks"), found->second);
    }
    if (const auto now = sent_psi(view, indexes, curve.stage))
      add(view.trace.find(stage_name(curve.stage))->ranks(), *now);
    std::sort(curve.measured.begin(), curve.measured.end(),
              [](const ui::Point& a, const ui::Point& b) { return a.x < b.x; });
  }
}

void Traffic::sweep_button(View& view) {
  if (sweep_.running()) {
    if (ui::button(tr("stop measuring").c_str(), "traffic.stop")) sweep_.stop(view);
    ImGui::SameLine();
    ImGui::TextUnformatted(sweep_.words().c_str());
  } else if (ui::button(tr("measure N = 2 to 8").c_str(), "traffic.measure")) {
    sweep_.start(view);
  }
  ImGui::SameLine(0, px(16));
}

void Traffic::curves(View& view, ImVec2 size, const Indexes& indexes) {
  add_formulas(view);
  add_measured(view, indexes);
  const float above = ImGui::GetCursorPosY();
  {
    const ui::FontScope font(ui::Type::kLabel);
    if (view.asked == nullptr) sweep_button(view);
    ImGui::TextUnformatted(tr("sent per rank and step: lines calculated, dots measured here").c_str());
  }
  std::string hint;
  if (view.asked != nullptr && guess_of(view, view.asked->id) == nullptr)
    hint = tr("Type a formula: it becomes a line over N.");
  const auto shows = [](const SentCurve& curve) {
    return !curve.formula.empty() || !curve.measured.empty() || !curve.guess.empty();
  };
  if (view.asked == nullptr && std::none_of(curves_.begin(), curves_.end(), shows))
    hint = tr("A stage's line and dots come with your guess of what it sends.");
  const float used = ImGui::GetCursorPosY() - above;
  draw_sent("traffic", {size.x, size.y - used}, curves_, hint);
}

void Traffic::draw(View& view, ImVec2 size, const Indexes& indexes) {
  const bool quiet = view.asked != nullptr;  // what the halves send is measured
  if (!quiet && view.section->ranks() == 0) return draw_nothing_yet(view, size);
  if (quiet || size.y < px(150)) return curves(view, size, indexes);
  const float strip = std::max(px(110), std::min(size.y * 0.5f, px(280)));
  adam_.draw(view, {size.x, strip}, indexes);
  const float left = size.y - strip - px(10);
  ImGui::Dummy({1, px(2)});
  if (left > px(84)) curves(view, {size.x, left}, indexes);
}

}  // namespace ringside::zero_panel
