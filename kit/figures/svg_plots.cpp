// Lines and contours as SVG.
#include <algorithm>

#include "ringside/figures/levels.h"
#include "svg_page.h"
#include "text_parts.h"

namespace ringside::figure {
namespace {

constexpr double kPlotHeight = 320;

StrokeLook look_of(const SvgPage& page, const Line& line) {
  switch (line.stroke) {
    case Stroke::kFormula: return {page.of(line.ink), 1};
    case Stroke::kGuess: return {page.of(line.ink), 1.5, "5 4"};
    case Stroke::kPinned: return {page.of(line.ink), 1, "1 3"};
    case Stroke::kMeasured:
    case Stroke::kDots: break;
  }
  return {page.of(line.ink), 2};
}

bool inside(const SvgFrame& frame, const Point& point) {
  const double x = position_of(point.x, frame.x, frame.log_x), y = position_of(point.y, frame.y, frame.log_y);
  return x >= -1e-9 && x <= 1 + 1e-9 && y >= -1e-9 && y <= 1 + 1e-9;
}

// Joined where a point and the one before it lie inside.
std::string path_of(const SvgFrame& frame, const std::vector<Point>& points) {
  std::string d;
  bool joined = false;
  for (const Point& point : points) {
    const bool in = inside(frame, point);
    if (in) d += SvgPage::step(joined ? 'L' : 'M', frame.px(point.x), frame.py(point.y));
    joined = in;
  }
  return d;
}

void put_line(SvgPage& page, const SvgFrame& frame, const Line& line) {
  const StrokeLook look = look_of(page, line);
  const bool dots = line.stroke == Stroke::kDots;
  for (const Point& point : line.points)
    if ((dots || line.points.size() <= 16) && inside(frame, point))
      page.dot(frame.px(point.x), frame.py(point.y), 3, look.colour);
  if (!dots) page.path(path_of(frame, line.points), look);
}

void put_marks(SvgPage& page, const SvgFrame& frame, const Lines& lines) {
  for (const Mark& mark : lines.marks) {
    const double at = mark.on_x ? frame.px(mark.at) : frame.py(mark.at);
    if (!(at >= (mark.on_x ? frame.at.x : frame.at.y) &&
          at <= (mark.on_x ? frame.at.right() : frame.at.bottom())))
      continue;
    const StrokeLook look{page.colours.dim, 1, "2 3"};
    if (mark.on_x) {
      page.line(at, frame.at.y, at, frame.at.bottom(), look);
      page.text(at + 4, frame.at.y + 14, mark.name, page.dim());
    } else {
      page.line(frame.at.x, at, frame.at.right(), at, look);
      page.text(frame.at.x + 6, at - 4, mark.name, page.dim());
    }
  }
}

void put_bands(SvgPage& page, const SvgFrame& frame, const Lines& lines) {
  for (const Band& band : lines.bands) {
    const double from = frame.px(std::clamp(band.from, frame.x.low, frame.x.high)),
                 to = frame.px(std::clamp(band.to, frame.x.low, frame.x.high));
    page.rect({from, frame.at.y, to - from, frame.at.height}, page.colours.panel);
    page.text(from + 4, frame.at.bottom() - 6, band.name, page.dim());
  }
}

// Marching squares (Lorensen and Cline 1987, in two dimensions): where the level crosses the edges of each
// square.
std::string level_path(const Contours& contours, const SvgFrame& frame, double level) {
  const auto x_of = [&](double c) { return frame.at.x + frame.at.width * c / double(contours.columns - 1); };
  const auto y_of = [&](double r) {
    return frame.at.bottom() - frame.at.height * r / double(contours.rows - 1);
  };
  std::string d;
  for (size_t r = 0; r + 1 < contours.rows; ++r) {
    for (size_t c = 0; c + 1 < contours.columns; ++c) {
      const auto height = [&](size_t dr, size_t dc) {
        return contours.heights[(r + dr) * contours.columns + c + dc];
      };
      const double corner[4] = {height(0, 0), height(0, 1), height(1, 1), height(1, 0)};
      constexpr double kX[5] = {0, 1, 1, 0, 0}, kY[5] = {0, 0, 1, 1, 0};
      std::vector<std::pair<double, double>> crossings;
      for (size_t i = 0; i < 4; ++i) {
        const double a = corner[i], b = corner[(i + 1) % 4];
        if ((a < level) == (b < level)) continue;
        const double part = (level - a) / (b - a);
        crossings.emplace_back(x_of(double(c) + kX[i] + (kX[i + 1] - kX[i]) * part),
                               y_of(double(r) + kY[i] + (kY[i + 1] - kY[i]) * part));
      }
      for (size_t i = 0; i + 1 < crossings.size(); i += 2)
        d += SvgPage::step('M', crossings[i].first, crossings[i].second) +
             SvgPage::step('L', crossings[i + 1].first, crossings[i + 1].second);
    }
  }
  return d;
}

}  // namespace

void add_svg(SvgPage& page, const Lines& lines) {
  const auto [x, y] = ranges_of(lines);
  const SvgFrame frame =
      put_frame(page, lines.x, x, lines.y, y, kPlotHeight, x_is_whole(lines), y_is_whole(lines));
  put_bands(page, frame, lines);
  put_marks(page, frame, lines);
  for (const Line& line : lines.lines) put_line(page, frame, line);
  std::vector<SvgPage::Key> keys;
  for (const Line& line : lines.lines) {
    const StrokeLook look = look_of(page, line);
    if (keys.size() < kMostRows) keys.push_back({line.name, look.colour, look.dash, true});
  }
  page.legend(keys);
}

void add_svg(SvgPage& page, const Contours& contours) {
  const SvgFrame frame = put_frame(page, contours.x, range_of(contours.x, 0, 1), contours.y,
                                   range_of(contours.y, 0, 1), 1.4 * kPlotHeight);
  const std::vector<double> levels = levels_of(contours);
  for (size_t i = 0; i < levels.size(); ++i) {
    const double part = double(i + 1) / double(levels.size());
    page.path(level_path(contours, frame, levels[i]), {mix(page.colours.line, page.colours.dim, part)});
  }
  std::vector<SvgPage::Key> keys;
  for (const Path& path : contours.paths) {
    page.path(path_of(frame, path.points), {page.of(path.ink), 2});
    if (!path.points.empty() && inside(frame, path.points.back()))
      page.dot(frame.px(path.points.back().x), frame.py(path.points.back().y), 4, page.of(path.ink));
    keys.push_back({path.name, page.of(path.ink), "", true});
  }
  page.legend(keys);
}

}  // namespace ringside::figure
