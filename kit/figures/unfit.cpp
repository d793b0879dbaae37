#include <cmath>

#include "fit_check.h"
#include "kinds.h"
#include "ringside/base/text.h"
#include "ringside/base/units.h"
#include "ringside/figures/compute.h"
#include "ringside/lesson/tr.h"

namespace ringside::figure {
namespace {

using TakeText = std::function<void(const std::string&)>;

// Every text of a part, as deep as it goes.
template <typename T>
void each_text_in(const T& part, const TakeText& take) {
  if constexpr (std::same_as<T, std::string>) {
    take(part);
  } else if constexpr (requires { part.lacks(); }) {
    each_text_in(part.value, take);
  } else if constexpr (requires { part.has_value(); }) {
    if (part) each_text_in(*part, take);
  } else if constexpr (requires { part.begin(); }) {
    for (const auto& one : part) each_text_in(one, take);
  } else if constexpr (requires { visit_members(part, [](auto&...) {}); }) {
    visit_members(part, [&](const auto&... members) { (each_text_in(members, take), ...); });
  }
}

template <typename Parts, typename Size>
size_t sum(const Parts& parts, Size size) {
  size_t all = 0;
  for (const auto& part : parts) all += size(part);
  return all;
}

// Each point of a line: x is finite and does not fall, y may be a gap. True where one has a y.
bool check_line(FitCheck& check, const Line& line) {
  bool some = false;
  for (size_t i = 0; i < line.points.size() && !check.failed(); ++i) {
    const Point& point = line.points[i];
    check.finite(point.x, "an x", line.name);
    check.finite_or_gap(point.y, "a y", line.name);
    if (i > 0)
      check.that(point.x >= line.points[i - 1].x, [&] {
        return tr("x of line '{}' falls from {} to {}; sort its points by x", line.name, line.points[i - 1].x,
                  point.x);
      });
    some = some || !std::isnan(point.y);
  }
  return some;
}

}  // namespace

void check_value(FitCheck& check, const Lines& lines) {
  check.axis(lines.x);
  check.axis(lines.y);
  bool some = false;
  for (const Line& line : lines.lines) some = check_line(check, line) || some;
  for (const Band& band : lines.bands) {
    check.finite(band.from, "the begin", band.name);
    check.finite(band.to, "the end", band.name);
  }
  for (const Mark& mark : lines.marks) check.finite(mark.at, "the place", mark.name);
  check.filled(some, "no line has a point");
}

void check_value(FitCheck& check, const Bars& bars) {
  check.axis(bars.value);
  check.filled(!bars.parts.empty() && !bars.rows.empty(), "it has no rows, or no parts");
  for (const BarRow& row : bars.rows) {
    check.that(row.values.size() == bars.parts.size(), [&] {
      return tr("row '{}' has {} values; there are {} parts", row.name, row.values.size(), bars.parts.size());
    });
    for (const double value : row.values) {
      check.finite_or_gap(value, "a value", row.name);
      if (bars.stacked && bars.parts.size() > 1)
        check.that(!(value < 0), [&] { return tr("row '{}' stacks {}, which is below 0", row.name, value); });
    }
  }
  if (bars.limit) check.finite(bars.limit->at, "the place", bars.limit->name);
}

void check_value(FitCheck& check, const Matrix& matrix) {
  check.filled(!matrix.rows.empty() && !matrix.columns.empty(), "it has no rows, or no columns");
  check.that(matrix.cells.size() == matrix.rows.size() * matrix.columns.size(), [&] {
    return tr("it has {} cells; {} rows of {} columns need {}", matrix.cells.size(), matrix.rows.size(),
              matrix.columns.size(), matrix.rows.size() * matrix.columns.size());
  });
  for (size_t i = 0; i < matrix.cells.size() && !check.failed(); ++i) {
    const MatrixCell& cell = matrix.cells[i];
    const std::string& row = matrix.rows[i / matrix.columns.size()];
    if (cell.state == MatrixCell::State::kValue && cell.word.empty()) check.finite(cell.value, "a cell", row);
    check.finite_or_gap(cell.value, "a cell", row);
  }
  if (matrix.least) check.finite(*matrix.least, "the least", matrix.row_name);
  if (matrix.most) check.finite(*matrix.most, "the most", matrix.row_name);
}

void check_value(FitCheck& check, const Contours& contours) {
  check.axis(contours.x);
  check.axis(contours.y);
  for (const Axis* axis : {&contours.x, &contours.y})
    check.that(axis->least && axis->most, [&] {
      return tr("axis '{}' needs least and most: the grid's outer points lie there", axis->name);
    });
  check.filled(contours.columns > 0 && contours.rows > 0, "it has no grid");
  check.that(contours.columns >= 2 && contours.rows >= 2,
             [&] { return tr("a grid of {} by {} has no area", contours.rows, contours.columns); });
  check.that(contours.heights.size() == contours.columns * contours.rows, [&] {
    return tr("it has {} heights; {} rows of {} columns need {}", contours.heights.size(), contours.rows,
              contours.columns, contours.columns * contours.rows);
  });
  for (const double height : contours.heights) check.finite(height, "a height", contours.y.name);
  for (const double level : contours.levels) check.finite(level, "a level", contours.y.name);
  for (const Path& path : contours.paths) {
    for (const Point& point : path.points) {
      check.finite(point.x, "an x", path.name);
      check.finite(point.y, "a y", path.name);
    }
  }
  if (!contours.handle) return;
  check.finite(contours.handle->at.x, "an x", contours.handle->name);
  check.finite(contours.handle->at.y, "a y", contours.handle->name);
  check.that(!contours.handle->parameter.empty(),
             [&] { return tr("handle '{}' names no parameter", contours.handle->name); });
}

void check_value(FitCheck& check, const Boxes& boxes) {
  bool some = false;
  for (const BoxRow& row : boxes.rows) {
    for (const Box& box : row.boxes) {
      some = true;
      check.that(std::isfinite(box.width) && box.width > 0, [&] {
        return tr("a box in row '{}' has width {}; it must be finite and above 0", row.name, box.width);
      });
    }
  }
  check.filled(some, "no row has a box");
  for (const BoxLink& link : boxes.links)
    for (const BoxPlace& place : {link.from, link.to}) {
      check.below(place.row, boxes.rows.size(), "a link's row");
      if (!check.failed()) check.below(place.box, boxes.rows[place.row].boxes.size(), "a link's box");
    }
}

void check_value(FitCheck& check, const Lanes& lanes) {
  check.axis(lanes.at);
  check.filled(!lanes.lanes.empty() && !(lanes.items.empty() && lanes.arrows.empty()),
               "nothing is in its lanes");
  for (const LaneItem& item : lanes.items) {
    check.below(item.lane, lanes.lanes.size(), "an item's lane");
    check.finite(item.from, "the begin", item.name);
    check.finite_or_gap(item.to, "the end", item.name);
    check.that(!(item.to < item.from),
               [&] { return tr("'{}' ends at {}, before it begins at {}", item.name, item.to, item.from); });
  }
  for (const LaneArrow& arrow : lanes.arrows) {
    check.below(arrow.from_lane, lanes.lanes.size(), "an arrow's lane");
    check.below(arrow.to_lane, lanes.lanes.size(), "an arrow's lane");
    check.finite(arrow.from, "the begin of an arrow", arrow.name);
    check.finite(arrow.to, "the end of an arrow", arrow.name);
  }
}

void check_value(FitCheck& check, const Graph& graph) {
  check.filled(!graph.nodes.empty(), "it has no node");
  for (const Edge& edge : graph.edges) {
    check.below(edge.from, graph.nodes.size(), "an edge's node");
    check.below(edge.to, graph.nodes.size(), "an edge's node");
  }
}

void check_value(FitCheck& check, const Listing& listing) {
  check.filled(!listing.lines.empty(), "it has no line");
  if (listing.current) check.below(*listing.current, listing.lines.size(), "the current line");
}

void check_value(FitCheck& check, const Table& table) {
  check.filled(!table.columns.empty() && !table.rows.empty(), "it has no rows, or no columns");
  for (const auto& row : table.rows) {
    check.that(row.size() == table.columns.size(), [&] {
      return tr("a row has {} cells; there are {} columns", row.size(), table.columns.size());
    });
    for (const TableCell& cell : row) check.finite_or_gap(cell.number, "the number", cell.text);
  }
  for (const size_t lit : table.lit) check.below(lit, table.rows.size(), "the lit row");
}

void check_value(FitCheck& check, const Nothing& nothing) {
  check.that(!nothing.why.empty(), [] { return tr("it shows nothing and does not say why"); });
}

size_t points_of(const Nothing&) { return 0; }
size_t points_of(const Lines& v) {
  return sum(v.lines, [](const Line& line) { return line.points.size(); }) + v.bands.size() + v.marks.size();
}
size_t points_of(const Bars& v) {
  return sum(v.rows, [](const BarRow& row) { return row.values.size(); });
}
size_t points_of(const Matrix& v) { return v.cells.size(); }
size_t points_of(const Contours& v) {
  return v.heights.size() + sum(v.paths, [](const Path& path) { return path.points.size(); });
}
size_t points_of(const Boxes& v) {
  return sum(v.rows, [](const BoxRow& row) { return row.boxes.size(); }) + v.links.size();
}
size_t points_of(const Lanes& v) { return v.lanes.size() + v.items.size() + v.arrows.size(); }
size_t points_of(const Graph& v) { return v.nodes.size() + v.edges.size(); }
size_t points_of(const Listing& v) { return v.lines.size(); }
size_t points_of(const Table& v) {
  return sum(v.rows, [](const auto& row) { return row.size(); });
}

size_t points(const Value& value) {
  return std::visit([](const auto& kind) { return points_of(kind); }, value);
}

void each_text(const Value& value, const TakeText& take) {
  std::visit([&](const auto& kind) { each_text_in(kind, take); }, value);
}

std::string why_unfit(const Value& value) {
  const size_t size = points(value);
  if (size > kMostPoints)
    return tr("it has {} points; at most {} are allowed: return figure::thinned(value, most).value",
              format_count(int64_t(size)), format_count(int64_t(kMostPoints)));
  FitCheck check;
  each_text(value, [&](const std::string& text) { check.text(text); });
  std::visit([&](const auto& kind) { check_value(check, kind); }, value);
  return check.why();
}

}  // namespace ringside::figure
