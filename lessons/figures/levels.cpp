#include "levels.h"

#include <algorithm>
#include <cmath>

namespace ringside::figure {

std::vector<double> levels_of(const Contours& contours) {
  if (!contours.levels.empty() || contours.heights.empty()) return contours.levels;
  constexpr int kLevels = 10;
  const auto [least, most] = std::minmax_element(contours.heights.begin(), contours.heights.end());
  const bool log = *least > 0;
  std::vector<double> levels;
  for (int i = 1; i <= kLevels; ++i) {
    const double part = static_cast<double>(i) / (kLevels + 1);
    levels.push_back(log ? *least * std::pow(*most / *least, part) : *least + (*most - *least) * part);
  }
  return levels;
}

double height_at(const Contours& contours, double x, double y) {
  const auto nearest = [](double part, size_t size) {
    return static_cast<size_t>(std::lround(std::clamp(part, 0.0, 1.0) * static_cast<double>(size - 1)));
  };
  return contours.heights[nearest(y, contours.rows) * contours.columns + nearest(x, contours.columns)];
}

}  // namespace ringside::figure
