// Sent over N: thin lines are formulas, dashed ones the learner's, dots what this room measured. Nothing is
// read off between the dots.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "panel_parts.h"
#include "ringside/lesson/tr.h"
#include "ringside/widgets/items.h"

namespace ringside::zero_panel {
namespace {

using ui::px;
using ui::Type;

constexpr int kLeastRanks = 2, kMostRanks = 8;

struct Plot {
  ui::Rect rect;
  double most;  // of the y axis, from 0
  float x(double n) const {
    const double share = (n - kLeastRanks) / (kMostRanks - kLeastRanks);
    return rect.min.x + px(14) + static_cast<float>(share) * (rect.width() - px(28));
  }
  float y(double psi) const {
    return rect.max.y - static_cast<float>(std::clamp(psi / most, 0.0, 1.0)) * rect.height();
  }
};

// Stages that send the same lie beside each other, not upon each other.
float shift(int stage) { return px(static_cast<float>(stage) * 3 - 4.5f); }

ImU32 colour_of_stage(int stage) {
  const ui::Palette& p = ui::colours();
  const ImU32 colours[] = {p.text, p.optimizer, p.gradients, p.parameters};
  return colours[std::clamp(stage, 0, 3)];
}

double top_of(const std::vector<SentCurve>& curves) {
  double most = 2;
  for (const SentCurve& curve : curves)
    for (const auto* points : {&curve.formula, &curve.guess, &curve.measured})
      for (const ui::Point& point : *points)
        if (std::isfinite(point.y)) most = std::max(most, point.y);
  return most <= 20 ? std::ceil(most * 1.05) : most * 1.05;
}

void draw_axes(ImDrawList& list, const Plot& plot) {
  const ui::Palette& p = ui::colours();
  const float line = ui::line_height(Type::kLabel);
  for (int n = kLeastRanks; n <= kMostRanks; ++n) {
    const std::string text = std::to_string(n);
    list.AddLine({plot.x(n), plot.rect.max.y}, {plot.x(n), plot.rect.max.y + px(4)}, p.dim);
    ui::draw_text(list, {plot.x(n) - ui::text_width(Type::kLabel, text) / 2, plot.rect.max.y + px(4)}, p.dim,
                  text);
  }
  const double step =
      std::max({1.0, std::ceil(plot.most / 5), std::ceil(plot.most * line / plot.rect.height())});
  for (double psi = 0; psi <= plot.most; psi += step) {
    const float y = std::round(plot.y(psi));
    list.AddLine({plot.rect.min.x, y}, {plot.rect.max.x, y}, psi == 0 ? p.dim : p.raised);
    const std::string text = fmt::format("{:g} Ψ", psi);
    ui::draw_text(list, {plot.rect.min.x - px(6) - ui::text_width(Type::kLabel, text), y - line / 2}, p.dim,
                  text);
  }
  ui::draw_text(list, {plot.rect.max.x + px(8), plot.rect.max.y + px(4)}, p.dim, tr("ranks N"));
}

void draw_line(ImDrawList& list, const Plot& plot, const std::vector<ui::Point>& points, int stage,
               bool dashed) {
  const ImU32 colour = dashed ? ui::colours().accent : colour_of_stage(stage);
  const float down = dashed ? 0 : shift(stage) / 3;
  for (size_t i = 1; i < points.size(); ++i) {
    if (!std::isfinite(points[i - 1].y) || !std::isfinite(points[i].y)) continue;
    const ImVec2 a(plot.x(points[i - 1].x), plot.y(points[i - 1].y) + down),
        b(plot.x(points[i].x), plot.y(points[i].y) + down);
    if (dashed)
      ui::dashed_line(list, a, b, colour, 1.5f);
    else
      list.AddLine(a, b, colour, px(1));
  }
}

struct Label {
  float x, y;
  ImU32 colour;
  std::vector<int> stages;  // that end here
  bool mine;
  std::string text() const {
    if (mine)
      return stages.size() == 1 ? tr("you, stage {}", stages.front())
                                : tr("you, stages {}", fmt::join(stages, ", "));
    return stages.size() == 1 ? tr("stage {}", stages.front()) : tr("stages {}", fmt::join(stages, ", "));
  }
};

void add_label(std::vector<Label>& labels, const Plot& plot, const ui::Point& end, int stage, bool mine) {
  const float y = plot.y(end.y), x = end.x < kMostRanks ? plot.x(end.x) + px(20) : plot.rect.max.x + px(8);
  const ImU32 colour = mine ? ui::colours().accent : colour_of_stage(stage);
  for (Label& label : labels) {
    if (label.mine != mine || label.x != x || std::abs(label.y - y) > px(3)) continue;
    label.stages.push_back(stage);
    if (!mine) label.colour = ui::colours().dim;
    return;
  }
  labels.push_back({x, y, colour, {stage}, mine});
}

// Behind the last point of each line, or of its dots; stages that end at one height share a label.
void name_lines(ImDrawList& list, const Plot& plot, const std::vector<SentCurve>& curves) {
  std::vector<Label> labels;
  for (const SentCurve& curve : curves) {
    const auto& points = curve.formula.empty() ? curve.measured : curve.formula;
    if (!points.empty()) add_label(labels, plot, points.back(), curve.stage, false);
    if (!curve.guess.empty()) add_label(labels, plot, curve.guess.back(), curve.stage, true);
  }
  std::sort(labels.begin(), labels.end(), [](const Label& a, const Label& b) { return a.y < b.y; });
  const float line = ui::line_height(Type::kLabel);
  std::map<float, float> free;  // by x: the first y without a label
  for (const Label& label : labels) {
    const std::string text = label.text();
    float y = label.y - line / 2;
    if (const auto found = free.find(label.x); found != free.end()) y = std::max(y, found->second);
    if (y > plot.rect.max.y - line / 2) continue;  // there the axis has its name
    list.AddRectFilled({label.x - px(2), y}, {label.x + ui::text_width(Type::kLabel, text) + px(2), y + line},
                       ui::colours().background);
    ui::draw_text(list, {label.x, y}, label.colour, text);
    free[label.x] = y + line;
  }
}

// The note stands at a dot, and nowhere else.
void draw_dots(const ui::Canvas& canvas, const std::string& id, const Plot& plot, const SentCurve& curve) {
  for (const ui::Point& point : curve.measured) {
    if (point.x < kLeastRanks || point.x > kMostRanks) continue;
    const ImVec2 at(plot.x(point.x) + shift(curve.stage) * 1.6f, plot.y(point.y));
    const float r = px(4), near = px(7);
    canvas.list().AddCircleFilled(at, r, colour_of_stage(curve.stage), 12);
    canvas.list().AddCircle(at, r, ui::colours().background, 12);
    ui::mark(fmt::format("{}.s{}.n{:.0f}", id, curve.stage, point.x), {at.x - r, at.y - r},
             {at.x + r, at.y + r});
    const ImVec2 mouse = canvas.mouse();
    if (canvas.hovered() && std::hypot(mouse.x - at.x, mouse.y - at.y) <= near &&
        std::abs(mouse.x - at.x) <= px(3))
      ui::note(
          tr("stage {} on {:.0f} ranks: {:.2f} Ψ, measured in this room", curve.stage, point.x, point.y));
  }
}

}  // namespace

void draw_sent(const std::string& id, ImVec2 size, const std::vector<SentCurve>& curves,
               const std::string& hint) {
  const ui::Canvas canvas(id, size);
  const float line = ui::line_height(Type::kLabel);
  const ui::Rect& all = canvas.rect();
  const float right = ui::text_width(Type::kLabel, "stages 0, 1, 2, 3") + px(8);
  const Plot plot{{{all.min.x + ui::text_width(Type::kLabel, "10 Ψ") + px(10), all.min.y + line / 2},
                   {all.max.x - right, all.max.y - line - px(6)}},
                  top_of(curves)};
  ImDrawList& list = canvas.list();
  if (plot.rect.height() < px(20)) return;
  draw_axes(list, plot);
  for (const SentCurve& curve : curves) {
    draw_line(list, plot, curve.formula, curve.stage, false);
    draw_line(list, plot, curve.guess, curve.stage, true);
  }
  name_lines(list, plot, curves);
  for (const SentCurve& curve : curves) draw_dots(canvas, id, plot, curve);
  if (hint.empty()) return;
  const ui::Rect low{{plot.rect.min.x, plot.y(plot.most * 0.3)}, plot.rect.max};  // below the lines
  ui::draw_text_in(list, low, ui::colours().dim, hint, Type::kBody);
}

}  // namespace ringside::zero_panel
