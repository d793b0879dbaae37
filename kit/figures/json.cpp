#include "ringside/figures/json.h"

#include <cmath>

#include "ringside/figures/instant.h"
#include "visit.h"

namespace ringside::figure {
namespace {

using Json = nlohmann::ordered_json;

Json number_json(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }
Json number_json(const std::optional<double>& value) { return value ? number_json(*value) : Json(nullptr); }

const char* ink_word(Ink ink) {
  constexpr const char* kWords[] = {"parameters", "gradients", "optimizer", "activations", "other",
                                    "text",       "dim",       "accent",    "alarm"};
  return kWords[static_cast<size_t>(ink)];
}
const char* stroke_word_of(Stroke stroke) {
  constexpr const char* kWords[] = {"measured", "formula", "guess", "pinned", "dots"};
  return kWords[static_cast<size_t>(stroke)];
}
const char* state_word(MatrixCell::State state) {
  constexpr const char* kWords[] = {"value", "empty", "same", "different", "wrong"};
  return kWords[static_cast<size_t>(state)];
}

template <typename Rows, typename Function>
Json list(const Rows& rows, const Function& f) {
  Json array = Json::array();
  for (const auto& row : rows) array.push_back(f(row));
  return array;
}
Json numbers(const std::vector<double>& values) {
  return list(values, [](double value) { return number_json(value); });
}

Json axis_json(const Axis& axis) {
  return {{"name", axis.name},
          {"unit", axis.unit},
          {"log", axis.log},
          {"least", number_json(axis.least)},
          {"most", number_json(axis.most)}};
}
Json mark_json(const Mark& mark) {
  return {{"name", mark.name}, {"at", number_json(mark.at)}, {"on_x", mark.on_x}};
}
// As series of the same document: x and y apart.
void put_points(Json& json, const std::vector<Point>& points) {
  json["x"] = list(points, [](const Point& point) { return number_json(point.x); });
  json["y"] = list(points, [](const Point& point) { return number_json(point.y); });
}

Json members(const Nothing& nothing) { return {{"why", nothing.why}}; }

Json members(const Lines& lines) {
  return {{"x", axis_json(lines.x)},
          {"y", axis_json(lines.y)},
          {"lines", list(lines.lines,
                         [](const Line& line) {
                           Json json = {{"name", line.name},
                                        {"ink", ink_word(line.ink)},
                                        {"stroke", stroke_word_of(line.stroke)}};
                           put_points(json, line.points);
                           return json;
                         })},
          {"bands", list(lines.bands,
                         [](const Band& band) {
                           return Json{{"name", band.name}, {"from", band.from}, {"to", band.to}};
                         })},
          {"marks", list(lines.marks, mark_json)}};
}

Json members(const Bars& bars) {
  return {
      {"value", axis_json(bars.value)},
      {"parts", list(bars.parts,
                     [](const BarPart& part) {
                       return Json{{"name", part.name}, {"ink", ink_word(part.ink)}};
                     })},
      {"rows", list(bars.rows,
                    [](const BarRow& row) {
                      return Json{{"name", row.name}, {"values", numbers(row.values)}, {"word", row.word}};
                    })},
      {"stacked", bars.stacked},
      {"limit", bars.limit ? mark_json(*bars.limit) : Json(nullptr)}};
}

Json members(const Matrix& matrix) {
  return {{"row_name", matrix.row_name},
          {"column_name", matrix.column_name},
          {"unit", matrix.unit},
          {"rows", matrix.rows},
          {"columns", matrix.columns},
          {"cells", list(matrix.cells,
                         [](const MatrixCell& cell) {
                           return Json{{"state", state_word(cell.state)},
                                       {"value", number_json(cell.value)},
                                       {"word", cell.word},
                                       {"detail", cell.detail}};
                         })},
          {"least", number_json(matrix.least)},
          {"most", number_json(matrix.most)}};
}

Json members(const Contours& contours) {
  Json json = {{"x", axis_json(contours.x)},
               {"y", axis_json(contours.y)},
               {"columns", contours.columns},
               {"rows", contours.rows},
               {"heights", numbers(contours.heights)},
               {"levels", numbers(contours.levels)},
               {"paths", list(contours.paths, [](const Path& path) {
                  Json one = {{"name", path.name}, {"ink", ink_word(path.ink)}};
                  put_points(one, path.points);
                  return one;
                })}};
  if (const auto& handle = contours.handle)
    json["handle"] = {
        {"name", handle->name}, {"parameter", handle->parameter}, {"x", handle->at.x}, {"y", handle->at.y}};
  return json;
}

Json place_json(const BoxPlace& place) { return {{"row", place.row}, {"box", place.box}}; }

Json members(const Boxes& boxes) {
  const auto box_json = [](const Box& box) {
    Json json = {{"text", box.text},
                 {"ink", ink_word(box.ink)},
                 {"width", box.width},
                 {"filled", box.filled},
                 {"detail", box.detail}};
    if (!box.group.empty()) json["group"] = box.group;
    if (!box.lights.empty()) json["lights"] = box.lights;
    if (box.blank) json["blank"] = true;
    return json;
  };
  return {{"rows",
           list(boxes.rows,
                [&](const BoxRow& row) {
                  return Json{{"name", row.name}, {"boxes", list(row.boxes, box_json)}, {"word", row.word}};
                })},
          {"links", list(boxes.links, [](const BoxLink& link) {
             return Json{{"from", place_json(link.from)}, {"to", place_json(link.to)}, {"name", link.name}};
           })}};
}

Json members(const Lanes& lanes) {
  return {{"at", axis_json(lanes.at)},
          {"lanes", lanes.lanes},
          {"items", list(lanes.items,
                         [](const LaneItem& item) {
                           return Json{{"lane", item.lane},          {"from", item.from},
                                       {"to", number_json(item.to)}, {"name", item.name},
                                       {"ink", ink_word(item.ink)},  {"filled", item.filled}};
                         })},
          {"arrows", list(lanes.arrows, [](const LaneArrow& arrow) {
             return Json{{"from_lane", arrow.from_lane}, {"to_lane", arrow.to_lane},
                         {"from", arrow.from},           {"to", arrow.to},
                         {"name", arrow.name},           {"lost", arrow.lost}};
           })}};
}

Json members(const Graph& graph) {
  return {{"nodes", list(graph.nodes,
                         [](const Node& node) {
                           return Json{{"text", node.text},
                                       {"detail", node.detail},
                                       {"ink", ink_word(node.ink)},
                                       {"lit", node.lit}};
                         })},
          {"edges", list(graph.edges, [](const Edge& edge) {
             return Json{{"from", edge.from}, {"to", edge.to}, {"text", edge.text}};
           })}};
}

Json members(const Listing& listing) {
  return {{"lines", list(listing.lines,
                         [](const SourceLine& line) {
                           return Json{{"text", line.text}, {"value", line.value}};
                         })},
          {"current", listing.current ? Json(*listing.current) : Json(nullptr)}};
}

Json members(const Table& table) {
  return {{"columns",
           list(table.columns,
                [](const TableColumn& column) {
                  return Json{{"title", column.title}, {"unit", column.unit}, {"number", column.number}};
                })},
          {"rows", list(table.rows,
                        [](const std::vector<TableCell>& row) {
                          return list(row, [](const TableCell& cell) {
                            return Json{{"text", cell.text}, {"number", number_json(cell.number)}};
                          });
                        })},
          {"lit", table.lit}};
}

}  // namespace

const char* kind_of(const Value& value) {
  constexpr const char* kKinds[] = {"nothing", "lines", "bars",  "matrix",  "contours",
                                    "boxes",   "lanes", "graph", "listing", "table"};
  return kKinds[value.index()];
}

Json value_json(const Value& value) {
  return std::visit([](const auto& kind) { return members(kind); }, value);
}

Json to_json(const Lesson& lesson, const FigureSpec& spec, const FigureInput& input) {
  const Thinned figure = thinned(compute(lesson, spec, input), kJsonPoints);
  Json instant;
  if (input.section != nullptr) {
    const double since_ns = static_cast<double>(input.time_ns - time_range(*input.section).first);
    instant = {{"section", input.section->name()}, {"time", since_ns / 1e9}};
  }
  return {{"id", spec.id},
          {"title", spec.title},
          {"kind", kind_of(figure.value)},
          {"sentence", sentence(lesson, spec, input)},
          {"instant", instant},
          {"left_out", figure.left_out},
          {"value", value_json(figure.value)}};
}

}  // namespace ringside::figure
