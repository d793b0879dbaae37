// Which letters a figure needs: fonts are baked before they are drawn.
#include "figure_drawing.h"

namespace ringside {
namespace {

void need(const std::string& text) { ui::look().fonts.need(text); }
void need(const std::vector<std::string>& texts) {
  for (const std::string& text : texts) need(text);
}
void need(const figure::Axis& axis) { need(axis.name), need(axis.unit); }

void need(const figure::Nothing& nothing) { need(nothing.why); }
void need(const figure::Lines& lines) {
  need(lines.x), need(lines.y);
  for (const figure::Line& line : lines.lines) need(line.name);
  for (const figure::Band& band : lines.bands) need(band.name);
  for (const figure::Mark& mark : lines.marks) need(mark.name);
}
void need(const figure::Bars& bars) {
  need(bars.value);
  for (const figure::BarPart& part : bars.parts) need(part.name);
  for (const figure::BarRow& row : bars.rows) need(row.name), need(row.word);
  if (bars.limit) need(bars.limit->name);
}
void need(const figure::Matrix& matrix) {
  need(matrix.row_name), need(matrix.column_name), need(matrix.unit), need(matrix.rows), need(matrix.columns);
  for (const figure::MatrixCell& cell : matrix.cells) need(cell.word), need(cell.detail);
}
void need(const figure::Contours& contours) {
  need(contours.x), need(contours.y);
  for (const figure::Path& path : contours.paths) need(path.name);
  if (contours.handle) need(contours.handle->name);
}
void need(const figure::Boxes& boxes) {
  for (const figure::BoxRow& row : boxes.rows) {
    need(row.name), need(row.word);
    for (const figure::Box& box : row.boxes) need(box.text), need(box.detail);
  }
  for (const figure::BoxLink& link : boxes.links) need(link.name);
}
void need(const figure::Lanes& lanes) {
  need(lanes.at), need(lanes.lanes);
  for (const figure::LaneItem& item : lanes.items) need(item.name);
  for (const figure::LaneArrow& arrow : lanes.arrows) need(arrow.name);
}
void need(const figure::Graph& graph) {
  for (const figure::Node& node : graph.nodes) need(node.text), need(node.detail);
  for (const figure::Edge& edge : graph.edges) need(edge.text);
}
void need(const figure::Listing& listing) {
  for (const figure::SourceLine& line : listing.lines) need(line.text), need(line.value);
}
void need(const figure::Table& table) {
  for (const figure::TableColumn& column : table.columns) need(column.title), need(column.unit);
  for (const auto& row : table.rows) {
    for (const figure::TableCell& cell : row) need(cell.text);
  }
}

}  // namespace

void need_glyphs(const figure::Value& value) {
  std::visit([](const auto& kind) { need(kind); }, value);
}

}  // namespace ringside
