// How far each training is from the base, step by step: curves without names while they are asked for.
#include <algorithm>
#include <cmath>

#include "ringside/base/units.h"
#include "ringside/lesson/figure_forms.h"
#include "ringside/lesson/tr.h"
#include "rows.h"

namespace ringside::drift {
namespace {

using namespace figure;

const std::string kNothingYet = tr("No training has been compared yet.");

bool is_nameless(const FigureInput& input) {
  return input.is_open("order") || input.is_open("stale") || input.is_open("norm");
}

// The four in order of their letters; with their names, once nobody has to guess them.
std::vector<Line> curves(const FigureInput& input, const auto& points_of) {
  std::vector<Line> lines;
  for (const char* training : kCurves) {
    const auto end = end_of(input.trace, training);
    if (!end) continue;
    const std::string name = is_nameless(input) ? end->letter : tr("{} {}", end->letter, training);
    const auto nth = static_cast<size_t>(end->letter[0] - 'A');
    lines.push_back({name, nth == 4 ? Ink::kOther : hue(nth), Stroke::kMeasured, points_of(training)});
  }
  std::sort(lines.begin(), lines.end(), [](const Line& a, const Line& b) { return a.name < b.name; });
  return lines;
}

Axis steps_axis() { return {tr("training step"), "", true}; }

Value parameters(const FigureInput& input) {
  const auto points_of = [&](const std::string& training) {
    std::vector<Point> points;
    for (const DistanceRow& row : distances_of(input.trace, training))
      points.push_back({static_cast<double>(row.step), row.relative > 0 ? row.relative : kNone});
    return points;
  };
  Lines lines{steps_axis(), {tr("distance of parameters"), "", true}, curves(input, points_of)};
  if (lines.lines.empty()) return Nothing{kNothingYet};
  if (const auto seed = points_of(kSeed); !seed.empty())
    lines.lines.push_back({kSeed, Ink::kDim, Stroke::kPinned, seed});
  return lines;
}

std::string parameters_sentence(const FigureInput& input) {
  if (is_nameless(input)) return tr("Four trainings against stage 1. One only adds in another order.");
  const auto all = distances_of(input.trace, kOrder);
  double least = INFINITY;
  for (const char* bug : {kBucket, kNorm, kStale})
    if (const auto row = distance_at(input.trace, bug, 10)) least = std::min(least, row->relative);
  if (all.empty() || std::isinf(least)) return "";
  return tr("Another order of sums: {:.0e} after {} steps. The smallest bug: {:.0e} after 10.",
            all.back().relative, all.back().step, least);
}

// The largest difference of the steps since the point before: single steps jump up and down.
Value losses(const FigureInput& input) {
  const auto points_of = [&](const std::string& training) {
    std::vector<Point> points;
    double most = 0, next = 1;
    for (const LossRow& row : losses_of(input.trace, training)) {
      most = std::max(most, row.difference);
      if (static_cast<double>(row.step) < next) continue;
      points.push_back({static_cast<double>(row.step), most > 0 ? most : kNone});
      most = 0;
      next = std::max(static_cast<double>(row.step) + 1, next * 1.25);
    }
    return points;
  };
  Lines lines{steps_axis(), {tr("difference of losses"), "", true}, curves(input, points_of)};
  if (lines.lines.empty()) return Nothing{kNothingYet};
  if (const auto seed = points_of(kSeed); !seed.empty())
    lines.lines.push_back({kSeed, Ink::kDim, Stroke::kPinned, seed});
  return lines;
}

// As two curves of a dashboard: means of a twentieth of the steps.
Value by_eye(const FigureInput& input) {
  Lines lines{{tr("training step")}, {tr("loss")}, {}};
  size_t nth = 0;
  for (const char* training : {kBase, kOrder, kSeed}) {
    Line line{training, hue(nth), nth == 1 ? Stroke::kDots : Stroke::kMeasured, {}};
    const auto rows = losses_of(input.trace, training);
    const size_t window = std::max<size_t>(1, rows.size() / 20);
    for (size_t from = 0; from + window <= rows.size(); from += window) {
      double sum = 0;
      for (size_t i = from; i < from + window; ++i) sum += rows[i].loss;
      line.points.push_back(
          {static_cast<double>(rows[from + window - 1].step), sum / static_cast<double>(window)});
    }
    ++nth;
    if (!line.points.empty()) lines.lines.push_back(line);
  }
  return or_nothing(lines, kNothingYet);
}

Value evidence(const FigureInput& input) {
  Table table{{{tr("training")},
               {tr("1")},
               {tr("2")},
               {tr("10")},
               {tr("100")},
               {tr("ranks")},
               {tr("unsent")},
               {tr("shape")}},
              {}};
  const auto at = [&](const char* training, int64_t step) -> TableCell {
    const auto row = distance_at(input.trace, training, step);
    return row ? TableCell{tr("{:.0e}", row->relative), row->relative} : TableCell{"-"};
  };
  const auto is_equal = [&](const char* training) {
    const auto rows = distances_of(input.trace, training);
    return std::all_of(rows.begin(), rows.end(), [](const DistanceRow& row) { return row.relative == 0; });
  };
  for (const char* training : {kOrder, kBucket, kNorm, kStale, kSame}) {
    const auto end = end_of(input.trace, training);
    if (!end) continue;
    table.rows.push_back(
        {{training},
         at(training, 1),
         at(training, 2),
         at(training, 10),
         at(training, 100),
         {end->ranks_agree ? tr("agree") : tr("differ")},
         {format_bytes(static_cast<double>(end->missing)), static_cast<double>(end->missing)},
         {is_equal(training) ? tr("same bits") : in_words(shape_of(input.trace, training))}});
  }
  return or_nothing(table, kNothingYet);
}

}  // namespace

std::vector<FigureSpec> figures() {
  return with_tabs({figure_of_instant("parameters", tr("How far are the parameters from stage 1's?"),
                                      parameters, parameters_sentence),
                    figure_of_run("losses", tr("How far are the losses from stage 1's?"), losses, {"far"}),
                    figure_of_run("loss", tr("The losses, as a dashboard draws them"), by_eye, {"far"}),
                    figure_of_run("evidence", tr("What else tells them apart"), evidence,
                                  {"order", "stale", "norm", "agree"})},
                   {tr("parameters"), tr("losses"), tr("by eye"), tr("evidence")});
}

}  // namespace ringside::drift
