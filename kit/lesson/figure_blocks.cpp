#include "figure_blocks.h"

#include <algorithm>
#include <sstream>

#include "ringside/base/check.h"
#include "ringside/base/field.h"
#include "ringside/lesson/curves.h"
#include "ringside/lesson/rows.h"

namespace ringside::inline kit {
namespace {

// "tokens T | | log", "loss | nats | from 0", "right | % | from 0 to 100"
figure::Axis axis_of(const TextBlock& block, const char* field) {
  auto parts = parted(block.text(field), '|');
  parts.resize(std::max<size_t>(parts.size(), 3));
  const std::string& kind = parts[2];
  figure::Axis axis{parts[0], parts[1], kind == "log"};
  if (kind.empty() || axis.log) return axis;
  std::istringstream words(kind);
  std::string from, to;
  double least = 0, most = 0;
  RINGSIDE_CHECK(
      words >> from >> least && from == "from" && (words.eof() || (words >> to >> most && to == "to")),
      "figure '" << block.id << "': no axis is '" << kind << "'");
  axis.least = least;
  if (!to.empty()) axis.most = most;
  return axis;
}

// "LINE = NAME : activations dots", of which the line, or the column, alone is needed.
struct Shown {
  std::string of, name;
  figure::Ink ink;
  figure::Stroke stroke = figure::Stroke::kMeasured;
};
Shown shown_in(const TextBlock& block, std::string text, size_t nth) {
  const std::vector<std::string> style = parted(cut_behind(text, " : "), ' ');
  const std::string name = cut_behind(text, " = ");
  Shown shown{text, name.empty() ? text : name, figure::hue(nth)};
  for (const std::string& word : style) {
    const auto ink = from_text<figure::Ink>(word);
    const auto stroke = from_text<figure::Stroke>(word);
    RINGSIDE_CHECK(ink || stroke, "figure '" << block.id << "': no ink or stroke is '" << word << "'");
    shown.ink = ink.value_or(shown.ink), shown.stroke = stroke.value_or(shown.stroke);
  }
  return shown;
}

// "DPO: chosen | rejected = lost"
FigureValue lines_of(const TextBlock& block, const FigureMarks& marks) {
  std::vector<std::pair<std::string, Shown>> curves;  // by their sections
  for (const std::string& field : block.all("curves")) {
    const size_t colon = field.find(": ");
    RINGSIDE_CHECK(colon != field.npos, "figure '" << block.id << "': curves without a section: " << field);
    for (const std::string& one : parted(field.substr(colon + 2), '|'))
      curves.emplace_back(field.substr(0, colon), shown_in(block, one, curves.size()));
  }
  return [curves, marks, x = axis_of(block, "x"), y = axis_of(block, "y")](const FigureInput& input) {
    figure::Lines lines{x, y, {}};
    for (const auto& [section, shown] : curves)
      if (auto points = curve(input.trace.find(section), shown.of); !points.empty())
        lines.lines.push_back({shown.name, shown.ink, shown.stroke, std::move(points)});
    if (marks && !lines.lines.empty()) lines.marks = marks(input);
    return lines;
  };
}

// A later bar takes the place of an earlier one of its name.
FigureValue bars_of(const TextBlock& block) {
  std::vector<std::string> columns;
  figure::Bars empty{axis_of(block, "x"), {}, {}};
  for (const std::string& part : parted(block.text("bars"), '|')) {
    const Shown shown = shown_in(block, part, columns.size());
    columns.push_back(shown.of);
    empty.parts.push_back({shown.name, shown.ink});
  }
  empty.stacked = columns.size() == 1 || block.has("stacked");
  return [=, table = block.text("table"), name = block.text("row"),
          word = block.text("word")](const FigureInput& input) {
    figure::Bars bars = empty;
    for (const RowEvent* row : events_of_rows(input.trace, table)) {
      const auto cell = [row](const std::string& column) { return cell_in(*row, column).text; };
      figure::BarRow bar{filled(name, cell), {}, filled(word, cell)};
      for (const std::string& column : columns) bar.values.push_back(cell_in(*row, column).number);
      const auto same = std::ranges::find(bars.rows, bar.name, &figure::BarRow::name);
      (same == bars.rows.end() ? bars.rows.emplace_back() : *same) = std::move(bar);
    }
    return bars;
  };
}

FigureValue table_of(const TextBlock& block) {
  return [table = block.text("table"), columns = parted(block.text("columns"), '|'),
          lit = block.text("lit")](const FigureInput& input) {
    const auto of_scenario = [&](const std::string& name) { return input.config.text(name); };
    return table_of_rows(input.trace, table, columns, filled(lit, of_scenario));
  };
}

}  // namespace

FigureValue value_of(const TextBlock& block, const FigureMarks& marks) {
  return block.has("curves") ? lines_of(block, marks) : block.has("bars") ? bars_of(block) : table_of(block);
}

}  // namespace ringside::inline kit
