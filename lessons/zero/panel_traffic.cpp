#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "panel_parts.h"
#include "ringside/lesson/tr.h"
#include "ringside/widgets/items.h"

namespace ringside::zero_panel {
namespace {

using ui::px;

constexpr int kMostRanks = 8;

// The sent figure of a stage as its own section measured it so far, in Ψ.
std::optional<double> sent_psi(const View& view, const Indexes& indexes, int stage) {
  const std::string name = stage_name(stage);
  const SectionView* section = view.trace.find(name);
  const auto found = indexes.find(name);
  if (section == nullptr || found == indexes.end() || psi_of(*section) == 0) return std::nullopt;
  const auto bytes = found->second.sent_a_step();
  if (!bytes) return std::nullopt;
  return *bytes / bytes_per_element(*section) / psi_of(*section);
}

int watched_stage(const View& view) {
  return view.section == nullptr ? 0 : std::clamp(stage_of(*view.section), 0, 3);
}

}  // namespace

// Sent against N: the formula's line, and a point for each run that this room has seen.
void Traffic::curves(View& view, ImVec2 size, const Indexes& indexes) {
  // While a stage's traffic is asked for: that stage, and nothing measured.
  const bool asked = view.asked != nullptr && view.asked->id.starts_with("sent_stage_");
  const int stage = asked ? view.asked->id.back() - '0' : watched_stage(view);
  const bool quiet = asked || view.hides(fmt::format("sent_stage_{}", stage));
  const PredictionSpec* spec = question(view.lesson, "sent", stage);
  std::vector<ui::Point> formula, measured, guessed;
  const Guess* guess = spec == nullptr ? nullptr : guess_of(view, spec->id);
  for (int n = 2; n <= kMostRanks && spec != nullptr; ++n) {
    if (!quiet && (guess != nullptr || view.revealing)) {
      if (const auto right = at_ranks(*spec, view.draft, n)) formula.push_back({double(n), *right});
    }
    std::optional<double> mine;
    if (guess != nullptr && guess->at) {
      mine = guess->at(view.draft.with({"ranks=" + std::to_string(n)}));
    }
    if (mine) guessed.push_back({double(n), *mine});
  }
  const std::string key = "stage_" + std::to_string(stage) + "_sent_psi_per_step";
  for (const KeptFigures& run : *view.kept) {
    if (quiet) break;
    const auto found = run.outcome.find(key);
    if (found == run.outcome.end() || run.config->text("accumulate") != view.config.text("accumulate") ||
        run.config->text("reduce") != view.config.text("reduce"))
      continue;
    measured.push_back({static_cast<double>(run.config->integer("ranks")), found->second});
  }
  // This run's own, as soon as its stage has taken a step.
  if (const auto now = quiet ? std::nullopt : sent_psi(view, indexes, stage)) {
    const auto ranks = static_cast<double>(view.section->ranks());
    std::erase_if(measured, [&](const ui::Point& point) { return point.x == ranks; });
    measured.push_back({ranks, *now});
  }
  std::sort(measured.begin(), measured.end(),
            [](const ui::Point& a, const ui::Point& b) { return a.x < b.x; });
  const ui::Palette& p = ui::colours();
  if (asked && guessed.empty()) {
    const ImVec2 at = ImGui::GetCursorScreenPos();
    ui::draw_text_in(*ImGui::GetWindowDrawList(), {at, {at.x + size.x, at.y + size.y}}, ui::colours().dim,
                     "Type a formula: it becomes a line over N.", ui::Type::kBody);
    return ImGui::Dummy(size);
  }
  std::vector<ui::Series> series;
  if (!formula.empty()) series.push_back({"formula", p.text, ui::Stroke::kFormula, formula});
  if (!guessed.empty()) series.push_back({"you", p.accent, ui::Stroke::kGuess, guessed});
  if (!quiet) series.push_back({"measured here", p.gradients, ui::Stroke::kDots, measured});
  ui::LinePlot::Options options;
  options.x_name = "ranks N";
  options.y_name = fmt::format("stage {}: sent per rank and step", stage);
  options.y_unit = ui::Unit::plain("Ψ");
  plot_.draw("traffic", size, series, options);
}

// An all-reduce is a reduce-scatter and an all-gather. Adam may stand behind both (stage 0) or between
// them (stage 1): dragging it changes who updates what, and not a byte of what is sent.
void Traffic::halves(View& view, ImVec2 size, const Indexes& indexes) {
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const ui::Palette& p = ui::colours();
  const float line = ui::line_height(ui::Type::kLabel), bar = px(30), token = px(58);
  const float top = at.y + line + px(8), width = (size.x - 2 * token - px(24)) / 2;
  const int stage = watched_stage(view);
  const bool between = stage == 1;
  ui::draw_text_in(list, {at, {at.x + size.x, at.y + line}}, p.dim,
                   "One all-reduce, cut in two. Drag Adam between the halves: what changes?",
                   ui::Type::kLabel, false);
  // Places for Adam: between the halves, or behind both.
  const float first = at.x, middle = first + width + px(8), second = middle + token + px(8),
              last = second + width + px(8);
  const auto box = [&](float x, ImU32 colour, const std::string& text) {
    const ui::Rect rect{{x, top}, {x + width, top + bar}};
    list.AddRectFilled(rect.min, rect.max, colour, px(3));
    ui::draw_text_in(list, rect, ui::text_on(colour), text);
  };
  box(first, p.gradients, "reduce-scatter");
  box(second, between ? p.parameters : p.gradients, between ? "all-gather of P" : "all-gather of G");
  for (const float x : {middle, last}) ui::dashed_rect(list, {{x, top}, {x + token, top + bar}}, p.line);

  const float home = between ? middle : last;
  ImGui::SetCursorScreenPos({home, top});
  ImGui::InvisibleButton("adam", {token, bar});
  ui::mark("adam");
  ui::tooltip("drag me: behind both halves is stage 0, between them is stage 1");
  float x = home;
  if (ImGui::IsItemActive()) {
    x = std::clamp(ImGui::GetIO().MousePos.x - token / 2, middle, last);
    adam_ = x;
  } else if (adam_ >= 0) {
    const bool to_middle = std::abs(adam_ - middle) < std::abs(adam_ - last);
    adam_ = -1;
    if (to_middle != between) view.wishes.set.emplace_back("stage", to_middle ? "1" : "0");
  }
  const ui::Rect adam{{x, top}, {x + token, top + bar}};
  list.AddRectFilled(adam.min, adam.max, p.optimizer, px(3));
  ui::draw_text_in(list, adam, ui::text_on(p.optimizer), "Adam");

  std::string text;
  for (const int which : {0, 1}) {
    const auto sent = sent_psi(view, indexes, which);
    const bool hidden = view.hides(fmt::format("sent_stage_{}", which));
    text += fmt::format("{}stage {} sends {}", text.empty() ? "" : ",   ", which,
                        hidden ? tr("(guess first)")
                        : sent ? fmt::format("{:.2f} Ψ", *sent)
                               : tr("(not measured yet)"));
  }
  ui::draw_text_in(list, {{at.x, top + bar + px(4)}, {at.x + size.x, top + bar + px(4) + line}}, p.text, text,
                   ui::Type::kLabel, false);
  ImGui::SetCursorScreenPos(at);
  ImGui::Dummy(size);
}

void Traffic::draw(View& view, ImVec2 size, const Indexes& indexes) {
  const float below = px(46) + 2 * ui::line_height(ui::Type::kLabel);
  const bool quiet = view.asked != nullptr;  // what the halves send is measured
  if (!quiet && size.y > below + px(120)) {
    curves(view, {size.x, size.y - below - px(8)}, indexes);
    halves(view, {size.x, below}, indexes);
  } else {
    curves(view, size, indexes);
  }
}

}  // namespace ringside::zero_panel
