#include "blocks.h"

#include <algorithm>
#include <functional>
#include <iterator>
#include <optional>
#include <sstream>

#include "ringside/base/check.h"
#include "ringside/base/field.h"
#include "ringside/lesson/curves.h"
#include "ringside/lesson/figure_forms.h"
#include "ringside/lesson/rows.h"
#include "run_numbers.h"

namespace ringside::inline kit {
namespace {

// "tokens T | | log", "loss | nats | from 0", "right | % | from 0 to 100"
figure::Axis axis_of(const TextBlock& block, const std::string& text) {
  auto parts = parted(text, '|');
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

// With numbers of the run in its places. One without any is looked at when the lesson is made.
std::function<figure::Axis(const FigureInput&)> axis_in(const TextBlock& block, const char* field) {
  const std::string text = block.text(field);
  if (text.find('{') == text.npos) return [axis = axis_of(block, text)](const FigureInput&) { return axis; };
  return [=](const FigureInput& input) {
    return axis_of(block, RunNumbers{block, input.trace, &input}.said(text));
  };
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

// A line of the run: its points.
using PointsOf = std::function<std::vector<figure::Point>(const Trace&)>;

// "losses where way = DPO: step | chosen | rejected = lost": a line over the first column for each other one.
std::vector<std::pair<PointsOf, Shown>> lines_of_rows(const TextBlock& block) {
  std::vector<std::pair<PointsOf, Shown>> lines;
  for (std::string table : block.all("lines")) {
    const auto columns = parted(cut_behind(table, ": "), '|');
    RINGSIDE_CHECK(columns.size() > 1, "figure '" << block.id << "': lines without two columns: " << table);
    for (size_t i = 1; i < columns.size(); ++i) {
      const Shown shown = shown_in(block, columns[i], lines.size());
      const auto points = [table, x = columns[0], y = shown.of](const Trace& trace) {
        std::vector<figure::Point> all;
        for (const RowEvent* row : events_of_rows(trace, table))
          all.push_back({cell_in(*row, x).number, cell_in(*row, y).number});
        return all;
      };
      lines.emplace_back(points, shown);
    }
  }
  return lines;
}

// "DPO: chosen | rejected = lost"
std::vector<std::pair<PointsOf, Shown>> lines_of_curves(const TextBlock& block) {
  std::vector<std::pair<PointsOf, Shown>> lines;
  for (const std::string& field : block.all("curves")) {
    const size_t colon = field.find(": ");
    RINGSIDE_CHECK(colon != field.npos, "figure '" << block.id << "': curves without a section: " << field);
    for (const std::string& one : parted(field.substr(colon + 2), '|')) {
      const Shown shown = shown_in(block, one, lines.size());
      lines.emplace_back([section = field.substr(0, colon),
                          line = shown.of](const Trace& trace) { return curve(trace, section, line); },
                         shown);
    }
  }
  return lines;
}

FigureValue lines_of(const TextBlock& block, const FigureMarks& marks) {
  std::optional<size_t> parts;
  if (block.has("means")) parts = size_t(formula_in(block, block.text("means"), {}).value({}));
  return [all = block.has("lines") ? lines_of_rows(block) : lines_of_curves(block), marks,
          x = axis_in(block, "x"), y = axis_in(block, "y"), parts](const FigureInput& input) {
    figure::Lines lines{x(input), y(input), {}};
    for (const auto& [points_of, shown] : all) {
      auto points = points_of(input.trace);
      if (parts) points = figure::means_of(points, *parts);
      if (!points.empty()) lines.lines.push_back({shown.name, shown.ink, shown.stroke, std::move(points)});
    }
    if (marks && !lines.lines.empty()) lines.marks = marks(input);
    return lines;
  };
}

// A later bar takes the place of an earlier one of its name.
FigureValue bars_of(const TextBlock& block) {
  std::vector<std::string> columns;
  figure::Bars empty{axis_of(block, block.text("x")), {}, {}};
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

// Of several tables the rows of one after the other.
FigureValue table_of(const TextBlock& block) {
  return [tables = block.all("table"), columns = parted(block.text("columns"), '|'),
          lit = block.text("lit")](const FigureInput& input) {
    const auto of_scenario = [&](const std::string& name) { return input.config.text(name); };
    std::vector<const RowEvent*> rows;
    for (const std::string& table : tables)
      std::ranges::copy(events_of_rows(input.trace, table), std::back_inserter(rows));
    std::vector<std::string> titled;
    for (const std::string& column : columns) titled.push_back(filled(column, of_scenario));
    return table_of_rows(rows, titled, filled(lit, of_scenario));
  };
}

}  // namespace

FigureValue value_of(const TextBlock& block, const FigureMarks& marks) {
  if (block.has("bars")) return bars_of(block);
  return block.has("table") ? table_of(block) : lines_of(block, marks);
}

}  // namespace ringside::inline kit
