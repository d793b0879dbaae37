// Heights as shades, paths as letters: small ones along the way, a capital at the end.
#include <algorithm>

#include "ringside/base/text.h"
#include "ringside/figures/levels.h"
#include "ringside/lesson/tr.h"
#include "text_parts.h"

namespace ringside::figure {
namespace {

constexpr size_t kMapRows = 18, kWidestMap = 72;
constexpr std::string_view kLight[] = {" ", "·", "░", "▒",
                                       "▓"};  // lighter than shades, for letters to be seen

struct Map {
  Canvas canvas;
  Range x, y;
  bool log_x, log_y;
};

void shade_heights(Map& map, const Contours& contours) {
  std::vector<double> levels = levels_of(contours);
  std::ranges::sort(levels);
  const size_t rows = map.canvas.rows(), wide = map.canvas.columns();
  for (size_t row = 0; row < rows; ++row) {
    for (size_t column = 0; column < wide; ++column) {
      const double x = double(column) / double(wide - 1), y = 1 - double(row) / double(rows - 1);
      const double height = height_at(contours, x, y);
      const auto below = std::upper_bound(levels.begin(), levels.end(), height) - levels.begin();
      const double part = (double(below) + 0.5) / double(levels.size() + 1);
      map.canvas.put(column, row, kLight[size_t(part * 5)], Ink::kDim);
    }
  }
}

// Blanks around each point first, so that letters are seen and do not hide each other.
void draw_path(Map& map, const Path& path, size_t nth, bool blanks) {
  const std::string letter = letter_of_line(nth), end(1, char('A' + nth % 26));
  for (size_t i = 0; i < path.points.size(); ++i) {
    const auto column = column_of(path.points[i].x, map.x, map.log_x, map.canvas.columns()),
               up = column_of(path.points[i].y, map.y, map.log_y, map.canvas.rows());
    if (!column || !up) continue;
    const size_t row = map.canvas.rows() - 1 - *up;
    if (blanks)
      map.canvas.write(*column == 0 ? 0 : *column - 1, row, *column == 0 ? "  " : "   ");
    else
      map.canvas.put(*column, row, i + 1 == path.points.size() ? end : letter, path.ink);
  }
}

void draw_handle(Map& map, const Handle& handle) {
  const auto column = column_of(handle.at.x, map.x, map.log_x, map.canvas.columns()),
             up = column_of(handle.at.y, map.y, map.log_y, map.canvas.rows());
  if (column && up) map.canvas.put(*column, map.canvas.rows() - 1 - *up, "+", Ink::kAccent);
}

}  // namespace

void add_text(TextBlock& text, const Contours& contours) {
  const Range x = range_of(contours.x, 0, 1), y = range_of(contours.y, 0, 1);
  const Unit y_unit = unit_of(contours.y.unit);
  const std::string top = format_alone(y.high, y_unit), bottom = format_alone(y.low, y_unit);
  const size_t gutter = std::max(columns(top), columns(bottom));
  Map map{Canvas(std::min(kWidestMap, text.width - std::min(text.width - 10, gutter + 2)), kMapRows), x, y,
          contours.x.log, contours.y.log};
  shade_heights(map, contours);
  for (const bool blanks : {true, false})
    for (size_t i = 0; i < contours.paths.size(); ++i) draw_path(map, contours.paths[i], i, blanks);
  if (contours.handle) draw_handle(map, *contours.handle);
  if (const std::string title = axis_title(contours.y); !title.empty()) text.line(title);
  for (size_t row = 0; row < kMapRows; ++row) {
    const std::string label = row == 0 ? top : row + 1 == kMapRows ? bottom : "";
    text.line(pad_left(label, gutter) + " │" + map.canvas.line(row, text.colour));
  }
  text.line(std::string(gutter + 1, ' ') + "└" + repeated("─", map.canvas.columns()));
  text.line(tick_line(contours.x, x, map.canvas.columns(), gutter + 2));
  if (const std::string title = axis_title(contours.x); !title.empty())
    text.line(pad_left(title, gutter + 2 + map.canvas.columns()));
  const auto [least, most] = std::ranges::minmax_element(contours.heights);
  std::vector<std::string> legend = {tr("' ' is {:.4g}, '▓' {:.4g}", *least, *most)};
  for (size_t i = 0; i < std::min(contours.paths.size(), kMostNotes); ++i)
    legend.push_back(letter_of_line(i) + " " + contours.paths[i].name);
  if (!contours.paths.empty()) legend.push_back(tr("capitals: where they end"));
  if (contours.handle) legend.push_back("+ " + contours.handle->name);
  text.items(legend, gutter + 2);
}

}  // namespace ringside::figure
