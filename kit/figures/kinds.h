// Kinds of figures: what each is made of, and what this library does with it. A new kind is a struct of
// ringside/lesson/figure.h, its lines here, a file that defines these functions, and its drawing
// (widgets/panel/figure_drawing.h).
#pragma once

#include <iterator>
#include <variant>

#include "ringside/lesson/figure.h"

namespace ringside::figure {

class CsvRows;
class FitCheck;
class SvgPage;
class TextBlock;

// Members with the names that JSON has: said once, for what writes a figure (json.cpp) and for what looks at
// all of its texts (unfit.cpp). f is called with names and members in turns.

// What is left out where it is empty, off or none.
template <typename T>
struct MayLack {
  const T& value;
  bool lacks() const {
    if constexpr (requires { value.empty(); })
      return value.empty();
    else
      return !value;
  }
};

void visit_members(const Nothing& v, auto f) { f("why", v.why); }

void visit_members(const Axis& v, auto f) {
  f("name", v.name, "unit", v.unit, "log", v.log, "least", v.least, "most", v.most);
}
void visit_members(const Mark& v, auto f) { f("name", v.name, "at", v.at, "on_x", v.on_x); }

void visit_members(const Line& v, auto f) {
  f("name", v.name, "ink", v.ink, "stroke", v.stroke, "points", v.points);
}
void visit_members(const Band& v, auto f) { f("name", v.name, "from", v.from, "to", v.to); }
void visit_members(const Lines& v, auto f) {
  f("x", v.x, "y", v.y, "lines", v.lines, "bands", v.bands, "marks", v.marks);
}

void visit_members(const BarPart& v, auto f) { f("name", v.name, "ink", v.ink); }
void visit_members(const BarRow& v, auto f) { f("name", v.name, "values", v.values, "word", v.word); }
void visit_members(const Bars& v, auto f) {
  f("value", v.value, "parts", v.parts, "rows", v.rows, "stacked", v.stacked, "limit", v.limit);
}

void visit_members(const MatrixCell& v, auto f) {
  f("state", v.state, "value", v.value, "word", v.word, "detail", v.detail);
}
void visit_members(const Matrix& v, auto f) {
  f("row_name", v.row_name, "column_name", v.column_name, "unit", v.unit, "rows", v.rows, "columns",
    v.columns, "cells", v.cells, "least", v.least, "most", v.most);
}

void visit_members(const Path& v, auto f) { f("name", v.name, "ink", v.ink, "points", v.points); }
void visit_members(const Handle& v, auto f) {
  f("name", v.name, "parameter", v.parameter, "x", v.at.x, "y", v.at.y);
}
void visit_members(const Contours& v, auto f) {
  f("x", v.x, "y", v.y, "columns", v.columns, "rows", v.rows, "heights", v.heights, "levels", v.levels,
    "paths", v.paths, "handle", MayLack{v.handle});
}

void visit_members(const Box& v, auto f) {
  f("text", v.text, "ink", v.ink, "width", v.width, "filled", v.filled, "detail", v.detail, "group",
    MayLack{v.group}, "lights", MayLack{v.lights}, "blank", MayLack{v.blank});
}
void visit_members(const BoxRow& v, auto f) { f("name", v.name, "boxes", v.boxes, "word", v.word); }
void visit_members(const BoxPlace& v, auto f) { f("row", v.row, "box", v.box); }
void visit_members(const BoxLink& v, auto f) { f("from", v.from, "to", v.to, "name", v.name); }
void visit_members(const Boxes& v, auto f) { f("rows", v.rows, "links", v.links); }

void visit_members(const LaneItem& v, auto f) {
  f("lane", v.lane, "from", v.from, "to", v.to, "name", v.name, "ink", v.ink, "filled", v.filled);
}
void visit_members(const LaneArrow& v, auto f) {
  f("from_lane", v.from_lane, "to_lane", v.to_lane, "from", v.from, "to", v.to, "name", v.name, "lost",
    v.lost);
}
void visit_members(const Lanes& v, auto f) {
  f("at", v.at, "lanes", v.lanes, "items", v.items, "arrows", v.arrows);
}

void visit_members(const Node& v, auto f) {
  f("text", v.text, "detail", v.detail, "ink", v.ink, "lit", v.lit);
}
void visit_members(const Edge& v, auto f) { f("from", v.from, "to", v.to, "text", v.text); }
void visit_members(const Graph& v, auto f) { f("nodes", v.nodes, "edges", v.edges); }

void visit_members(const SourceLine& v, auto f) { f("text", v.text, "value", v.value); }
void visit_members(const Listing& v, auto f) { f("lines", v.lines, "current", v.current); }

void visit_members(const TableColumn& v, auto f) { f("title", v.title, "unit", v.unit, "number", v.number); }
void visit_members(const TableCell& v, auto f) { f("text", v.text, "number", v.number); }
void visit_members(const Table& v, auto f) { f("columns", v.columns, "rows", v.rows, "lit", v.lit); }

inline constexpr const char* kKindNames[] = {"nothing", "lines", "bars",    "matrix", "contours", "boxes",
                                             "lanes",   "graph", "listing", "table"};  // as Value has them
static_assert(std::size(kKindNames) == std::variant_size_v<Value>);

// What every kind has: its text, its SVG picture and its rows of CSV; what is wrong with it; what drawing it
// costs (points() in compute.h); itself with about `most` of its points.
#define RINGSIDE_FIGURE_KIND(Kind)                      \
  void add_text(TextBlock& text, const Kind& value);    \
  void add_svg(SvgPage& page, const Kind& value);       \
  void add_rows(CsvRows& rows, const Kind& value);      \
  void check_value(FitCheck& check, const Kind& value); \
  size_t points_of(const Kind& value);                  \
  void thin(Kind& value, size_t most);
RINGSIDE_FIGURE_KIND(Nothing)
RINGSIDE_FIGURE_KIND(Lines)
RINGSIDE_FIGURE_KIND(Bars)
RINGSIDE_FIGURE_KIND(Matrix)
RINGSIDE_FIGURE_KIND(Contours)
RINGSIDE_FIGURE_KIND(Boxes)
RINGSIDE_FIGURE_KIND(Lanes)
RINGSIDE_FIGURE_KIND(Graph)
RINGSIDE_FIGURE_KIND(Listing)
RINGSIDE_FIGURE_KIND(Table)
#undef RINGSIDE_FIGURE_KIND

}  // namespace ringside::figure
