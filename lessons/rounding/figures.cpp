// How far each sum is from the right one; over the number of ranks; what a large value swallows; bytes.
#include <algorithm>
#include <cmath>
#include <map>

#include "ringside/base/units.h"
#include "ringside/lesson/figure_forms.h"
#include "ringside/lesson/tr.h"
#include "rows.h"

namespace ringside::rounding {
namespace {

using namespace figure;

const std::string kNotRun = tr("No sum has been made.");

// The number of ranks at the playhead; of the section of one large value, the largest.
int64_t ranks_at(const FigureInput& input) {
  if (input.section == nullptr || input.section->name() == kLarge || !input.section->has("ranks"))
    return most_ranks(input.trace);
  return input.section->integer("ranks");
}

const WayRow* row_at(const std::vector<WayRow>& rows, int64_t ranks) {
  const auto found =
      std::find_if(rows.begin(), rows.end(), [&](const WayRow& row) { return row.ranks == ranks; });
  return found == rows.end() ? nullptr : &*found;
}

Value histogram(const FigureInput& input) {
  const int64_t ranks = ranks_at(input);
  Bars bars{{tr("of the elements, {} ranks", ranks), "%", false, 0.0, 100.0}, {}, {}, false};
  std::map<int64_t, BarRow> rows;  // by distance
  for (size_t way = 0; way < std::size(kWays); ++way) {
    bars.parts.push_back({kWays[way], hue(way == 0 ? 1 : way == 1 ? 0 : 3)});
    for (const DistanceRow& row : rows_in<DistanceRow>(input.trace)) {
      if (row.ranks != ranks || row.way != kWays[way]) continue;
      BarRow& bar = rows[row.from];
      bar.name = row.from == 0        ? tr("right to the bit")
                 : row.from == row.to ? tr("{} ulp away", row.from)
                 : row.to > (1 << 10) ? tr("{} or more", row.from)
                                      : tr("{} to {}", row.from, row.to);
      bar.values.push_back(row.share);
    }
  }
  for (const auto& [from, row] : rows)
    if (row.values.size() == std::size(kWays)) bars.rows.push_back(row);
  return or_nothing(bars, kNotRun);
}

std::string histogram_sentence(const FigureInput& input) {
  const auto ring = rows_of(input.trace, kEachHop), owner = rows_of(input.trace, kAtOwner);
  const int64_t ranks = ranks_at(input);
  const WayRow *a = row_at(ring, ranks), *b = row_at(owner, ranks);
  if (a == nullptr || b == nullptr) return "";
  return tr("{} ranks, equal bytes: {:.0f} % right to the bit in a bf16 ring, {:.0f} % at owners.", ranks,
            a->right, b->right);
}

Value growth(const FigureInput& input) {
  Lines lines{{tr("ranks N"), "", true}, {tr("relative error"), "", true}, {}};
  for (size_t way = 0; way < std::size(kWays); ++way) {
    Line line{kWays[way],
              hue(way == 0   ? 1
                  : way == 1 ? 0
                             : 3),
              way == 2 ? Stroke::kDots : Stroke::kMeasured,
              {}};
    for (const WayRow& row : rows_of(input.trace, kWays[way]))
      line.points.push_back({static_cast<double>(row.ranks), row.relative});
    if (!line.points.empty()) lines.lines.push_back(line);
  }
  if (lines.lines.empty()) return Nothing{kNotRun};
  for (const double power : {0.5, 1.0}) {
    Line line{power == 1 ? tr("like N") : tr("like √N"), Ink::kDim, Stroke::kFormula, {}};
    const Point first = lines.lines[0].points[0];
    for (const Point& point : lines.lines[0].points)
      line.points.push_back({point.x, first.y * std::pow(point.x / first.x, power)});
    lines.lines.push_back(line);
  }
  return lines;
}

Value swallowed(const FigureInput& input) {
  Line ring{kEachHop, hue(1), Stroke::kMeasured, {}}, owner{kAtOwner, hue(0), Stroke::kMeasured, {}},
      exact{tr("exact"), Ink::kText, Stroke::kFormula, {}};
  for (const ChunkRow& row : rows_in<ChunkRow>(input.trace)) {
    const auto chunk = static_cast<double>(row.chunk);
    ring.points.push_back({chunk, row.ring});
    owner.points.push_back({chunk, row.owner});
    exact.points.push_back({chunk, row.exact});
  }
  if (ring.points.empty()) return Nothing{kNotRun};
  return Lines{{tr("chunk of the buffer")},
               {tr("sum of 256 and ones"), "", false, 250.0, exact.points[0].y + 10},
               {ring, owner, exact}};
}

std::string swallowed_sentence(const FigureInput& input) {
  const auto rows = rows_in<ChunkRow>(input.trace);
  if (rows.empty()) return "";
  return tr(
      "All chunks have the same values. Where rank 0's 256 comes first, {:.0f} of {:.0f} ones are lost.",
      rows.back().exact - rows.back().ring, rows.back().exact - 256);
}

Value table(const FigureInput& input) {
  Table table{{{tr("N"), "", true},
               {tr("way")},
               {tr("right"), "%", true},
               {tr("median"), "ulp", true},
               {tr("mean"), "ulp", true},
               {tr("most"), "ulp", true},
               {tr("sent"), "bytes", true}},
              {}};
  const auto number = [](double value) { return TableCell{tr("{:.2f}", value), value}; };
  for (const char* way : kWays)
    for (const WayRow& row : rows_of(input.trace, way))
      table.rows.push_back({{"", static_cast<double>(row.ranks)},
                            {row.way},
                            number(row.right),
                            number(row.median),
                            number(row.mean),
                            {tr("{:.1f}", row.most), row.most},
                            {"", row.bytes}});
  return or_nothing(table, kNotRun);
}

}  // namespace

std::vector<WayRow> rows_of(const Trace& trace, const std::string& way) {
  return rows_where<WayRow>(trace, [&](const WayRow& row) { return row.way == way; });
}

int64_t most_ranks(const Trace& trace) {
  int64_t most = 0;
  for (const WayRow& row : rows_in<WayRow>(trace)) most = std::max(most, row.ranks);
  return most;
}

std::vector<FigureSpec> figures() {
  FigureSpec large = figure_of_instant("swallowed", tr("What 256 does to ones, chunk by chunk"), swallowed,
                                       swallowed_sentence, {"ones"});
  large.section = kLarge;
  return with_tabs(
      {figure_of_instant("histogram", tr("How far is each sum from the right one?"), histogram,
                         histogram_sentence, {"owner", "growth"}),
       figure_of_run("growth", tr("The error over the number of ranks"), growth, {"growth", "owner"}), large,
       figure_of_run("table", tr("Every way at every N"), table, {"owner", "growth", "bytes"})},
      {tr("histogram"), tr("over N"), tr("256 + 1"), tr("table")});
}

std::vector<Readout> readouts(const FigureInput& input) {
  std::vector<Readout> all;
  for (const char* way : kWays)
    if (const auto rows = rows_of(input.trace, way); const WayRow* row = row_at(rows, ranks_at(input)))
      all.push_back({way, tr("median {:.2f} ulp, {} sent", row->median, format_bytes(row->bytes))});
  return all;
}

}  // namespace ringside::rounding
