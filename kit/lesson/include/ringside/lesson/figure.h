// A picture as data: what a lesson shows, said once. The room draws it, the terminal prints it, JSON and SVG
// hold it. A figure is a pure function of the configuration, the trace and an instant, like a claim: another
// trace gives another figure.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "ringside/trace/trace.h"

namespace ringside::inline kit {
class Config;
}  // namespace ringside::inline kit

namespace ringside::figure {

inline constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

// What a colour means, in every figure and front end. The first five are what memory and traffic are of; a
// lesson about something else takes them as five hues that are easy to tell apart.
enum class Ink : uint8_t {
  kParameters,   // blue
  kGradients,    // yellow
  kOptimizer,    // purple
  kActivations,  // green
  kOther,        // grey
  kText,         // the colour of text
  kDim,          // of what stands back
  kAccent,       // of what the learner does
  kAlarm         // a culprit, an unexplained byte, a failed check; nothing else
};
inline constexpr int kHues = 5;
std::span<const std::string_view> texts(Ink);  // "parameters", "gradients", ...
inline Ink hue(size_t nth) { return static_cast<Ink>(nth % kHues); }
Ink ink_of(Category category);

struct Axis {
  std::string name, unit = {};  // "ranks N", "bytes"; bytes and seconds are written with a prefix
  bool log = false;
  std::optional<double> least = {}, most = {};  // none: as the values have it
};

struct Point {
  double x = 0, y = 0;  // a y that is NaN is a gap
};

// ---- Lines over an axis -----------------------------------------------------

enum class Stroke : uint8_t {
  kMeasured,  // solid
  kFormula,   // thin, named at its end
  kGuess,     // dashed
  kPinned,    // of the run that is compared with
  kDots       // measured, with nothing between the points
};
std::span<const std::string_view> texts(Stroke);
struct Line {
  std::string name;
  Ink ink = Ink::kText;
  Stroke stroke = Stroke::kMeasured;
  std::vector<Point> points = {};  // in rising order of x
};
struct Band {  // a stretch of the x axis: "warm-up"
  std::string name;
  double from = 0, to = 0;
};
struct Mark {  // a place on an axis: "the limit"
  std::string name;
  double at = 0;
  bool on_x = true;
};
struct Lines {
  Axis x, y;
  std::vector<Line> lines;
  std::vector<Band> bands = {};
  std::vector<Mark> marks = {};
};

// ---- Bars -------------------------------------------------------------------

struct BarPart {  // what all rows have a value of
  std::string name;
  Ink ink = Ink::kParameters;
};
struct BarRow {
  std::string name;
  std::vector<double> values;  // one a part; NaN: none
  std::string word = {};       // behind the bar: "16Ψ"
};
struct Bars {
  Axis value;
  std::vector<BarPart> parts;
  std::vector<BarRow> rows;
  bool stacked = true;             // or the parts beside each other
  std::optional<Mark> limit = {};  // a line across all rows
};

// ---- Matrix -----------------------------------------------------------------

struct MatrixCell {
  enum class State : uint8_t { kValue, kEmpty, kSame, kDifferent, kWrong };
  State state = State::kEmpty;
  double value = kNone;     // of kValue
  std::string word = {};    // instead of the number
  std::string detail = {};  // more of it, for who asks
};
std::span<const std::string_view> texts(MatrixCell::State);
struct Matrix {
  std::string row_name, column_name, unit = {};  // "from", "to", "bytes"
  std::vector<std::string> rows, columns;
  std::vector<MatrixCell> cells;                // (rows, columns), row by row
  std::optional<double> least = {}, most = {};  // of the shades; none: as the values have it
};

// ---- Contours, and paths on them --------------------------------------------

struct Path {
  std::string name;
  Ink ink = Ink::kAccent;
  std::vector<Point> points;
};
// A point that a person may move: where it is dropped, "x,y" becomes the value of a parameter of kind kText.
struct Handle {
  std::string name, parameter;
  Point at = {};
};
struct Contours {
  Axis x, y;  // least and most are needed: the grid's outer points lie there
  size_t columns = 0, rows = 0;
  std::vector<double> heights;      // (rows, columns), the row of the least y first
  std::vector<double> levels = {};  // none: ten of them, even in the logarithm where all heights are positive
  std::vector<Path> paths = {};
  std::optional<Handle> handle = {};
};
// "-1.5,0.25": a place on these axes as a handle's parameter has it, to a thousandth of each axis.
std::string text_of_place(const Contours& contours, Point at);
// None: it is no such text.
std::optional<Point> place_of_text(const std::string& text);

// ---- Boxes: memory, storages, blocks of a mask -------------------------------

struct Box {
  std::string text;  // "" for none
  Ink ink = Ink::kOther;
  double width = 1;
  bool filled = true;  // or an outline: a gap, something that is not there
  std::string detail = {};
  // Boxes of a group belong together. While this box is pointed at, those of the groups that it lights are
  // filled with the accent, and the others that have a group are outlines. It lights its own group where it
  // names none.
  std::string group = {};
  std::vector<std::string> lights = {};
  bool blank = false;  // nothing but its text: a heading, a gap between boxes
};
struct BoxRow {
  std::string name;
  std::vector<Box> boxes;
  std::string word = {};  // behind the row
};
struct BoxPlace {
  size_t row = 0, box = 0;
};
struct BoxLink {
  BoxPlace from, to;
  std::string name = {};
};
struct Boxes {
  std::vector<BoxRow> rows;
  std::vector<BoxLink> links = {};
};

// ---- Lanes: who calls, sends, waits -------------------------------------------

struct LaneItem {
  size_t lane = 0;
  double from = 0, to = 0;  // on the axis; to: NaN where it has not ended
  std::string name = {};
  Ink ink = Ink::kParameters;
  bool filled = true;  // or dashed: it waits
};
struct LaneArrow {
  size_t from_lane = 0, to_lane = 0;
  double from = 0, to = 0;
  std::string name = {};
  bool lost = false;
};
struct Lanes {
  Axis at;  // time in s, or a number of calls
  std::vector<std::string> lanes;
  std::vector<LaneItem> items;
  std::vector<LaneArrow> arrows = {};
};

// ---- Graph --------------------------------------------------------------------

struct Node {
  std::string text;
  std::string detail = {};  // a second, smaller line
  Ink ink = Ink::kOther;
  bool lit = false;  // the one that this instant is about
};
struct Edge {
  size_t from = 0, to = 0;  // of nodes
  std::string text = {};
};
struct Graph {
  std::vector<Node> nodes;
  std::vector<Edge> edges;  // front ends lay nodes out along them, from left to right
};

// ---- Listing: lines of source ---------------------------------------------------

struct SourceLine {
  std::string text;
  std::string value = {};  // beside it: what the line gave, how often it ran
};
struct Listing {
  std::vector<SourceLine> lines;
  std::optional<size_t> current = {};  // from 0
};

// ---- Table ------------------------------------------------------------------------

struct TableColumn {
  std::string title, unit = {};
  bool number = false;
};
struct TableCell {
  std::string text;
  double number = kNone;  // what a column of numbers is sorted by
};
struct Table {
  std::vector<TableColumn> columns;
  std::vector<std::vector<TableCell>> rows;
  std::vector<size_t> lit = {};  // rows that this instant is about
};

// Nothing to show, and why: "The first step has not ended." An empty figure of another kind is a mistake.
struct Nothing {
  std::string why;
};

using Value = std::variant<Nothing, Lines, Bars, Matrix, Contours, Boxes, Lanes, Graph, Listing, Table>;

}  // namespace ringside::figure

namespace ringside::inline kit {

// What a figure is a function of. `section` is the one that the instant lies in; null before there is one.
struct FigureInput {
  const Config& config;
  const Trace& trace;
  const SectionView* section = nullptr;
  int64_t time_ns = 0;
  // Questions that the learner is still to be asked: a figure may leave out what answers one of them.
  std::span<const std::string> open = {};
  bool is_open(std::string_view question) const { return std::ranges::find(open, question) != open.end(); }
};

using FigureValue = std::function<figure::Value(const FigureInput&)>;
using FigureMarks = std::function<std::vector<figure::Mark>(const FigureInput&)>;

struct FigureSpec {
  std::string id, title;
  FigureValue value;
  // One sentence for the instant; "" or null: the title.
  std::function<std::string(const FigureInput&)> sentence = {};
  // The section that is shown where nobody has chosen one; "": the one that the lesson names, or the newest.
  std::string section = {};
  std::function<std::string(const Config&)> section_of = {};  // the same, where it depends on the scenario
  // Where nobody has chosen an instant, it shows the end of the last step, when no rank has freed its state
  // yet; else the end of the section.
  bool of_last_step = false;
  // It shows another instant otherwise, so that it is computed anew where the playhead moves.
  bool follows_playhead = false;
  // Of the configuration alone: another trace of it gives the same figure.
  bool of_configuration = false;
  // It would give away the answers of these predictions: it stays closed while one of them is open. A figure
  // that leaves out what answers an open question (FigureInput::open) has none.
  std::vector<std::string> answers = {};
  // A word or two for its tab; "": the title.
  std::string tab = {};
  std::string group = {};              // that its tab stands in
  std::vector<std::string> live = {};  // "memory", "traffic" or a line of the live panel: a click shows it
  // Where it is the picture to look at (figures/matters.h): "training", "training::crash", "::evaluate". It
  // matters in its own section where it says nothing.
  std::vector<std::string> matters = {};
};

// A figure beside the pictures: "sent this step", "1.69 Ψ".
struct Readout {
  std::string name, value;
};

}  // namespace ringside::inline kit
