#include "ringside/figures/levels.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace ringside::figure {

std::pair<double, double> ends_of(const Contours& contours) {
  double least = std::numeric_limits<double>::infinity(), most = -least;
  for (const double height : contours.heights)
    if (std::isfinite(height)) least = std::min(least, height), most = std::max(most, height);
  return {least, most};
}

std::vector<double> levels_of(const Contours& contours) {
  if (!contours.levels.empty() || contours.heights.empty()) return contours.levels;
  constexpr int kLevels = 10;
  const auto [least, most] = ends_of(contours);
  const bool log = least > 0;
  std::vector<double> levels;
  for (int i = 1; i <= kLevels; ++i) {
    const double part = double(i) / (kLevels + 1);
    levels.push_back(log ? least * std::pow(most / least, part) : least + (most - least) * part);
  }
  return levels;
}

double height_at(const Contours& contours, double x, double y) {
  const auto nearest = [](double part, size_t size) {
    return size_t(std::lround(std::clamp(part, 0.0, 1.0) * double(size - 1)));
  };
  return contours.heights[nearest(y, contours.rows) * contours.columns + nearest(x, contours.columns)];
}

}  // namespace ringside::figure
