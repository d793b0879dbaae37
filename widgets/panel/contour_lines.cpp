#include "contour_lines.h"

#include <algorithm>
#include <cmath>

#include "ringside/figures/levels.h"

namespace ringside {
namespace {

constexpr size_t kMostCells = 80;       // along one side: more would be more lines than pixels tell apart
constexpr size_t kMostSegments = 4000;  // one draw list has 65,536 vertices

struct Corner {
  figure::Point at;
  double height;
};

// Where the line leaves the cell through the edge from a to b.
figure::Point crossing(const Corner& a, const Corner& b, double level) {
  const double part = (level - a.height) / (b.height - a.height);
  return {a.at.x + (b.at.x - a.at.x) * part, a.at.y + (b.at.y - a.at.y) * part};
}

// Corners around the cell: an edge is crossed where one end is above the level and the other is not. Four
// crossings are a saddle, which the middle's height decides.
void march(const Corner (&corners)[4], double level, std::vector<ContourSegment>& out) {
  figure::Point points[4];
  int count = 0;
  for (int i = 0; i < 4; ++i) {
    const Corner &a = corners[i], &b = corners[(i + 1) % 4];
    if (!std::isfinite(a.height)) return;
    if ((a.height > level) != (b.height > level) && std::isfinite(b.height))
      points[count++] = crossing(a, b, level);
  }
  if (count == 2) out.push_back({points[0], points[1]});
  if (count != 4) return;
  double middle = 0;
  for (const Corner& corner : corners) middle += corner.height / 4;
  const bool joined = (middle > level) == (corners[0].height > level);
  out.push_back({points[0], points[joined ? 1 : 3]});
  out.push_back({points[joined ? 2 : 1], points[joined ? 3 : 2]});
}

// Of a grid of at most so many cells along a side.
std::vector<ContourLine> lines_of(const figure::Contours& c, const std::vector<double>& levels, size_t most) {
  std::vector<ContourLine> lines;
  for (const double level : levels) lines.push_back({level, {}});
  if (c.columns < 2 || c.rows < 2 || c.heights.size() < c.columns * c.rows) return lines;
  const size_t across = std::min(c.columns - 1, most), up = std::min(c.rows - 1, most);
  const auto corner = [&](size_t i, size_t j) {
    const double x = double(i) / double(across);
    const double y = double(j) / double(up);
    return Corner{{x, y}, contour_height(c, x, y)};
  };
  for (size_t j = 0; j < up; ++j) {
    for (size_t i = 0; i < across; ++i) {
      const Corner corners[4] = {corner(i, j), corner(i + 1, j), corner(i + 1, j + 1), corner(i, j + 1)};
      for (ContourLine& line : lines) march(corners, line.height, line.segments);
    }
  }
  return lines;
}

}  // namespace

std::vector<double> contour_levels(const figure::Contours& contours) {
  const auto [least, most] = figure::ends_of(contours);
  if (contours.levels.empty() && !(most > least)) return {};  // a plain has no line
  return figure::levels_of(contours);
}

std::vector<ContourLine> contour_lines(const figure::Contours& contours, const std::vector<double>& levels) {
  for (size_t cells = kMostCells;; cells /= 2) {
    std::vector<ContourLine> lines = lines_of(contours, levels, cells);
    size_t segments = 0;
    for (const ContourLine& line : lines) segments += line.segments.size();
    if (segments <= kMostSegments || cells <= 2) return lines;
  }
}

double contour_height(const figure::Contours& c, double across, double up) {
  if (c.columns < 2 || c.rows < 2 || c.heights.size() < c.columns * c.rows || std::isnan(across) ||
      std::isnan(up))
    return figure::kNone;
  const double x = std::clamp(across, 0.0, 1.0) * double(c.columns - 1);
  const double y = std::clamp(up, 0.0, 1.0) * double(c.rows - 1);
  const size_t i = std::min(size_t(x), c.columns - 2), j = std::min(size_t(y), c.rows - 2);
  const double right = x - double(i), above = y - double(j);
  // A point with no weight has no say, so that a hole is no wider than it is.
  double height = 0;
  const auto add = [&](size_t column, size_t row, double weight) {
    if (weight > 0) height += weight * c.heights[row * c.columns + column];
  };
  add(i, j, (1 - right) * (1 - above));
  add(i + 1, j, right * (1 - above));
  add(i, j + 1, (1 - right) * above);
  add(i + 1, j + 1, right * above);
  return height;
}

}  // namespace ringside
