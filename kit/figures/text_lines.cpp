// Lines as a plot of Braille dots, or a sparkline each where there are many.
#include <algorithm>
#include <cmath>

#include "ringside/base/text.h"
#include "ringside/lesson/tr.h"
#include "text_parts.h"

namespace ringside::figure {
namespace {

constexpr size_t kPlotRows = 12, kMostInPlot = 8;

// A plot in dots: where points lie, and what joins them.
struct Plot {
  Canvas canvas;
  const Lines& lines;
  Range x, y;
  std::optional<size_t> dot_x(double value) const {
    return column_of(value, x, lines.x.log, 2 * canvas.columns());
  }
  std::optional<size_t> dot_y(double value) const {
    const auto up = column_of(value, y, lines.y.log, 4 * canvas.rows());
    return up ? std::optional(4 * canvas.rows() - 1 - *up) : up;
  }
};

// Every dot, every other one for a formula, three of five for a guess.
bool inked(Stroke stroke, size_t at) {
  if (stroke == Stroke::kFormula || stroke == Stroke::kPinned) return at % 2 == 0;
  return stroke != Stroke::kGuess || at % 5 < 3;
}

void join_dots(Plot& plot, const Line& line, long x0, long y0, long x1, long y1) {
  const long steps = std::max({std::abs(x1 - x0), std::abs(y1 - y0), 1L});
  for (long i = 0; i <= steps; ++i) {
    const long x = x0 + (x1 - x0) * i / steps, y = y0 + (y1 - y0) * i / steps;
    if (inked(line.stroke, size_t(x + y))) plot.canvas.dot(size_t(x), size_t(y), line.ink);
  }
}

void plot_line(Plot& plot, const Line& line) {
  bool joined = false;
  long last_x = 0, last_y = 0;
  for (const Point& point : line.points) {
    const auto x = plot.dot_x(point.x), y = plot.dot_y(point.y);
    if (!x || !y) {
      joined = false;
      continue;
    }
    const long at_x = static_cast<long>(*x), at_y = static_cast<long>(*y);
    if (joined)
      join_dots(plot, line, last_x, last_y, at_x, at_y);
    else
      plot.canvas.dot(*x, *y, line.ink);
    joined = line.stroke != Stroke::kDots;
    last_x = at_x, last_y = at_y;
  }
}

// The line's letter at some of its points, a stretch apart, each line's at places of its own.
void letter_line(Plot& plot, const Line& line, size_t nth, size_t lines) {
  const std::string letter = letter_of_line(nth);
  const size_t columns = plot.canvas.columns(), apart = std::max<size_t>(12, columns / 4);
  size_t next = (apart * (nth + 1)) / (lines + 1);
  for (size_t i = 0; i < line.points.size(); ++i) {
    const auto x = plot.dot_x(line.points[i].x), y = plot.dot_y(line.points[i].y);
    if (!x || !y) continue;
    const bool last = i + 1 == line.points.size();
    if (*x / 2 < next && !last) continue;
    plot.canvas.put(*x / 2, *y / 4, letter, line.ink);
    next = *x / 2 + apart;
  }
}

void plot_marks(Plot& plot) {
  for (const Mark& mark : plot.lines.marks) {
    if (const auto x = plot.dot_x(mark.at); mark.on_x && x)
      for (size_t row = 0; row < plot.canvas.rows(); ++row) plot.canvas.put(*x / 2, row, "┊", Ink::kDim);
    if (const auto y = plot.dot_y(mark.at); !mark.on_x && y)
      for (size_t column = 0; column < plot.canvas.columns(); ++column)
        plot.canvas.put(column, *y / 4, "╌", Ink::kDim);
  }
}

// "▁" over each band's stretch, with its name where it fits.
std::string band_line(const Plot& plot) {
  Canvas below(plot.canvas.columns(), 1);
  for (const Band& band : plot.lines.bands) {
    const double low = std::max(band.from, plot.x.low), high = std::min(band.to, plot.x.high);
    const auto from = plot.dot_x(low), to = plot.dot_x(high);
    if (!from || !to || *to < *from) continue;
    const size_t length = *to / 2 - *from / 2 + 1;
    for (size_t i = 0; i < length; ++i) below.put(*from / 2 + i, 0, "▔", Ink::kDim);
    if (length >= 3) below.write(*from / 2 + 1, 0, cut(band.name, length - 2));
  }
  return below.line(0, false);
}

std::vector<std::string> row_labels(const Lines& lines, Range y, size_t rows) {
  constexpr float kRow = 24;  // ticks_of() counts in pixels
  std::vector<std::string> labels(rows);
  for (const Tick& tick : ticks_of(
           y, tick_unit(lines.y, y_is_whole(lines)), kRow * float(rows), kRow / 2,
           [&](std::string_view) { return kRow; }, lines.y.log)) {
    if (tick.label.empty()) continue;
    const auto up = column_of(tick.value, y, lines.y.log, 4 * rows);
    if (up) labels[rows - 1 - *up / 4] = tick.label;
  }
  return labels;
}

std::string_view stroke_word(Stroke stroke) {
  constexpr std::string_view kWords[] = {"", " (formula)", " (guess)", " (pinned)", ""};
  return kWords[size_t(stroke)];
}

void add_legend(TextBlock& text, const Lines& lines, bool letters, size_t indent) {
  std::vector<std::string> legend;
  for (size_t i = 0; i < lines.lines.size(); ++i) {
    const Line& line = lines.lines[i];
    const std::string name = line.name + std::string(stroke_word(line.stroke));
    legend.push_back(letters ? letter_of_line(i) + " " + name : name);
  }
  for (const Mark& mark : lines.marks)
    legend.push_back((mark.on_x ? "┊ " : "╌ ") + mark.name + " " +
                     format_alone(mark.at, unit_of(mark.on_x ? lines.x.unit : lines.y.unit)));
  text.items(legend, indent);
}

void add_plot(TextBlock& text, const Lines& lines) {
  const auto [x, y] = ranges_of(lines);
  const std::vector<std::string> labels = row_labels(lines, y, kPlotRows);
  size_t gutter = 0;
  for (const std::string& label : labels) gutter = std::max(gutter, columns(label));
  gutter = std::min(gutter, text.width / 3);
  Plot plot{Canvas(text.width - gutter - 2, kPlotRows), lines, x, y};
  plot_marks(plot);
  for (const Line& line : lines.lines) plot_line(plot, line);
  const bool letters = lines.lines.size() > 1;
  for (size_t i = 0; letters && i < lines.lines.size(); ++i)
    letter_line(plot, lines.lines[i], i, lines.lines.size());

  if (!lines.y.name.empty()) text.line(axis_title(lines.y));
  for (size_t row = 0; row < kPlotRows; ++row)
    text.line(pad_left(labels[row], gutter) + (labels[row].empty() ? " │" : " ┤") +
              plot.canvas.line(row, text.colour));
  text.line(std::string(gutter + 1, ' ') + "└" + repeated("─", plot.canvas.columns()));
  if (!lines.bands.empty()) text.line(std::string(gutter + 2, ' ') + band_line(plot));
  text.line(tick_line(lines.x, x, plot.canvas.columns(), gutter + 2, x_is_whole(lines)));
  const std::string title = axis_title(lines.x);
  if (!title.empty()) text.line(pad_left(cut(title, text.width), text.width));
  add_legend(text, lines, letters, gutter + 2);
}

// The mean of each stretch of the line.
std::string sparkline(const Line& line, Range x, const Axis& x_axis, Range y, const Axis& y_axis,
                      size_t columns_wide) {
  constexpr std::string_view kBars[] = {"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
  std::vector<double> sums(columns_wide), counts(columns_wide);
  for (const Point& point : line.points) {
    const auto column = column_of(point.x, x, x_axis.log, columns_wide);
    const double height = position_of(point.y, y, y_axis.log);
    if (!column || !std::isfinite(height)) continue;
    sums[*column] += height;
    ++counts[*column];
  }
  std::string text;
  for (size_t i = 0; i < columns_wide; ++i)
    text += counts[i] == 0 ? " " : kBars[size_t(std::clamp(sums[i] / counts[i] * 8, 0.0, 7.0))];
  return text;
}

void add_sparklines(TextBlock& text, const Lines& lines) {
  const auto [x, y] = ranges_of(lines);
  const Unit unit = unit_of(lines.y.unit);
  const size_t shown = std::min(lines.lines.size(), kMostRows);
  size_t names = 0, ends = 0;
  const auto end_word = [&](const Line& line) {
    return line.points.empty() ? "" : format_alone(line.points.back().y, unit);
  };
  for (size_t i = 0; i < shown; ++i) {
    names = std::max(names, columns(cut(lines.lines[i].name, text.width / 3)));
    ends = std::max(ends, columns(end_word(lines.lines[i])));
  }
  const size_t wide = text.width - std::min(text.width - 10, names + ends + 4);
  text.line(tr("{}: {} to {}, its end at the right", axis_title(lines.y), format_alone(y.low, unit),
               format_alone(y.high, unit)));
  for (size_t i = 0; i < shown; ++i) {
    const Line& line = lines.lines[i];
    text.line(pad(cut(line.name, text.width / 3), names + 2) +
              text.paint(sparkline(line, x, lines.x, y, lines.y, wide), line.ink) + "  " +
              pad_left(end_word(line), ends));
  }
  text.line(tick_line(lines.x, x, wide, names + 2, x_is_whole(lines)));
  text.more(lines.lines.size() - shown, tr("lines"));
  const std::string title = axis_title(lines.x);
  if (!title.empty()) text.line(std::string(names + 2, ' ') + pad_left(cut(title, wide), wide));
}

}  // namespace

void add_text(TextBlock& text, const Lines& lines) {
  lines.lines.size() > kMostInPlot ? add_sparklines(text, lines) : add_plot(text, lines);
}

}  // namespace ringside::figure
