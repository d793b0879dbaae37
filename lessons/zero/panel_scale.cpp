#include <utility>

#include "panel_parts.h"

namespace ringside::zero_panel {
namespace {

constexpr double kCard = 80e9;  // bytes
constexpr int kMostRanks = 1000;

// Parameters that fit when a rank keeps so many bytes of each.
double fits(double bytes_per_parameter) { return kCard / bytes_per_parameter; }

}  // namespace

void Scale::draw(View& view, ImVec2 size) {
  std::vector<std::vector<ui::Point>> points(5);
  std::vector<ui::Series> series;
  const ui::Palette& p = ui::colours();
  const ImU32 hues[] = {p.text, p.optimizer, p.gradients, p.parameters};
  for (int stage = 0; stage <= 3; ++stage) {
    const PredictionSpec* spec = question(view.lesson, "state", stage);
    auto& curve = points[static_cast<size_t>(stage)];
    for (int n = 1; n <= kMostRanks; n = n < 512 ? 2 * n : n == 512 ? kMostRanks : n + 1) {
      double bytes = 16;
      if (spec != nullptr) bytes = at_ranks(*spec, view.config, n).value_or(16);
      curve.push_back({static_cast<double>(n), fits(bytes) / 1e9});
    }
    ui::Series one;
    one.name = stage_name(stage);
    one.colour = hues[stage];
    one.stroke = ui::Stroke::kFormula;
    one.points = curve;
    series.push_back(one);
  }
  ui::LinePlot::Options options;
  options.x_name = "ranks N";
  options.y_name = "billions of parameters whose state one 80 GB card holds";
  options.can_log_x = true;
  if (std::exchange(first_, false)) plot_.log_x = plot_.log_y = true;
  plot_.draw("scale", size, series, options);
}

}  // namespace ringside::zero_panel
