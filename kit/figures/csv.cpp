#include "ringside/figures/csv.h"

#include <fmt/format.h>

#include <cmath>
#include <vector>

#include "csv_rows.h"
#include "kinds.h"

namespace ringside::figure {

// With quotes where it needs them. A text that a spreadsheet would take for a formula gets an apostrophe.
std::string csv_field(const std::string& text) {
  const bool formula = !text.empty() && std::string_view("=+-@").find(text[0]) != std::string_view::npos;
  const std::string shown = formula ? "'" + text : text;
  if (shown.find_first_of(",\"\n\r") == std::string::npos) return shown;
  std::string quoted = "\"";
  for (const char c : shown) quoted += c == '"' ? "\"\"" : std::string(1, c);
  return quoted + '"';
}
std::string csv_field(const char* text) { return csv_field(std::string(text)); }
std::string csv_field(double value) { return std::isfinite(value) ? fmt::format("{}", value) : ""; }
std::string csv_field(size_t value) { return fmt::format("{}", value); }
std::string csv_field(bool value) { return value ? "yes" : "no"; }

namespace {

std::string with_unit(const std::string& name, const std::string& unit) {
  return unit.empty() ? name : name.empty() ? unit : name + " (" + unit + ")";
}
std::string axis_name(const Axis& axis, const char* otherwise) {
  return with_unit(axis.name.empty() ? otherwise : axis.name, axis.unit);
}

double place_on(const Axis& axis, size_t nth, size_t count) {
  const double part = double(nth) / double(count - 1);
  if (axis.log) return *axis.least * std::pow(*axis.most / *axis.least, part);
  return *axis.least + (*axis.most - *axis.least) * part;
}

}  // namespace

void add_rows(CsvRows& rows, const Nothing& nothing) {
  rows.add("nothing");
  rows.add(nothing.why);
}

void add_rows(CsvRows& rows, const Lines& lines) {
  rows.add("line", axis_name(lines.x, "x"), axis_name(lines.y, "y"));
  for (const Line& line : lines.lines)
    for (const Point& point : line.points) rows.add(line.name, point.x, point.y);
}

void add_rows(CsvRows& rows, const Bars& bars) {
  std::vector<std::string> head = {"row"};
  for (const BarPart& part : bars.parts) head.push_back(csv_field(with_unit(part.name, bars.value.unit)));
  head.push_back("word");
  rows.add_fields(head);
  for (const BarRow& row : bars.rows) {
    std::vector<std::string> fields = {csv_field(row.name)};
    for (const double value : row.values) fields.push_back(csv_field(value));
    fields.push_back(csv_field(row.word));
    rows.add_fields(fields);
  }
}

void add_rows(CsvRows& rows, const Matrix& matrix) {
  constexpr const char* kStates[] = {"value", "", "same", "different", "wrong"};
  std::vector<std::string> head = {csv_field(matrix.row_name)};
  for (const std::string& column : matrix.columns) head.push_back(csv_field(column));
  rows.add_fields(head);
  for (size_t r = 0; r < matrix.rows.size(); ++r) {
    std::vector<std::string> fields = {csv_field(matrix.rows[r])};
    for (size_t c = 0; c < matrix.columns.size(); ++c) {
      const MatrixCell& cell = matrix.cells[r * matrix.columns.size() + c];
      const bool number = cell.state == MatrixCell::State::kValue && std::isfinite(cell.value);
      fields.push_back(number ? csv_field(cell.value)
                              : csv_field(cell.word.empty() ? kStates[size_t(cell.state)] : cell.word));
    }
    rows.add_fields(fields);
  }
}

void add_rows(CsvRows& rows, const Contours& contours) {
  rows.add("path", axis_name(contours.x, "x"), axis_name(contours.y, "y"), "height");
  for (size_t r = 0; r < contours.rows; ++r)
    for (size_t c = 0; c < contours.columns; ++c)
      rows.add("", place_on(contours.x, c, contours.columns), place_on(contours.y, r, contours.rows),
               contours.heights[r * contours.columns + c]);
  for (const Path& path : contours.paths)
    for (const Point& point : path.points) rows.add(path.name, point.x, point.y, "");
}

void add_rows(CsvRows& rows, const Boxes& boxes) {
  rows.add("row", "box", "width", "filled", "detail");
  for (const BoxRow& row : boxes.rows)
    for (const Box& box : row.boxes) rows.add(row.name, box.text, box.width, box.filled, box.detail);
}

void add_rows(CsvRows& rows, const Lanes& lanes) {
  rows.add("lane", "to lane", axis_name(lanes.at, "from"), "to", "name", "waits or lost");
  for (const LaneItem& item : lanes.items)
    rows.add(lanes.lanes[item.lane], "", item.from, item.to, item.name, !item.filled);
  for (const LaneArrow& arrow : lanes.arrows)
    rows.add(lanes.lanes[arrow.from_lane], lanes.lanes[arrow.to_lane], arrow.from, arrow.to, arrow.name,
             arrow.lost);
}

void add_rows(CsvRows& rows, const Graph& graph) {
  rows.add("from", "to", "edge", "detail");
  std::vector<bool> has_edge(graph.nodes.size());
  for (const Edge& edge : graph.edges) {
    const Node& node = graph.nodes[edge.from];
    rows.add(node.text, graph.nodes[edge.to].text, edge.text, node.detail);
    has_edge[edge.from] = true;
  }
  for (size_t i = 0; i < graph.nodes.size(); ++i)
    if (!has_edge[i]) rows.add(graph.nodes[i].text, "", "", graph.nodes[i].detail);
}

void add_rows(CsvRows& rows, const Listing& listing) {
  rows.add("line", "text", "value", "current");
  for (size_t i = 0; i < listing.lines.size(); ++i)
    rows.add(i + 1, listing.lines[i].text, listing.lines[i].value, listing.current == i);
}

void add_rows(CsvRows& rows, const Table& table) {
  std::vector<std::string> head;
  for (const TableColumn& column : table.columns)
    head.push_back(csv_field(with_unit(column.title, column.unit)));
  rows.add_fields(head);
  for (const auto& row : table.rows) {
    std::vector<std::string> fields;
    for (const TableCell& cell : row)
      fields.push_back(std::isfinite(cell.number) ? csv_field(cell.number) : csv_field(cell.text));
    rows.add_fields(fields);
  }
}

std::string to_csv(const Value& value) {
  CsvRows rows;
  std::visit([&](const auto& kind) { add_rows(rows, kind); }, value);
  return rows.text();
}

}  // namespace ringside::figure
