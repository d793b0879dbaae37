// How far each training is from the base, step by step: curves without names while they are asked for.
#include "rows.h"

namespace ringside::lessons::drift {
namespace {

using namespace figure;

bool is_nameless(const FigureInput& input) {
  return input.is_open("order") || input.is_open("stale") || input.is_open("norm");
}

// The four in order of their letters, with their names once nobody has to guess them; then the other seed.
Value curves(const FigureInput& input, std::string y, const auto& points_of) {
  Lines all{{tr("training step"), "", true}, {std::move(y), "", true}, {}};
  for (const EndRow& end : rows_in<EndRow>(input.trace)) {
    if (end.letter.empty()) continue;
    all.lines.push_back({is_nameless(input) ? end.letter : tr("{} {}", end.letter, end.training),
                         hue(size_t(end.letter[0] - 'A')), Stroke::kMeasured, points_of(end.training)});
  }
  std::ranges::sort(all.lines, {}, &Line::name);
  if (auto seed = points_of(kSeed); !seed.empty() && !all.lines.empty())
    all.lines.push_back({kSeed, Ink::kDim, Stroke::kPinned, std::move(seed)});
  return all;
}

Value parameters(const FigureInput& input) {
  return curves(input, tr("distance of parameters"), [&](const std::string& training) {
    return points_of(rows_of<DistanceRow>(input.trace, training), &DistanceRow::step,
                     [](const DistanceRow& row) { return row.relative > 0 ? row.relative : kNone; });
  });
}

std::string parameters_sentence(const FigureInput& input) {
  if (is_nameless(input)) return tr("Four trainings against stage 1. One only adds in another order.");
  const auto all = rows_of<DistanceRow>(input.trace, kOrder);
  double least = INFINITY;
  for (const char* bug : {kBucket, kNorm, kStale})
    if (const auto row = distance_at(input.trace, bug, 10)) least = std::min(least, row->relative);
  if (all.empty() || std::isinf(least)) return "";
  return tr("Another order of sums: {:.0e} after {} steps. The smallest bug: {:.0e} after 10.",
            all.back().relative, all.back().step, least);
}

// The largest difference of the steps since the point before: single steps jump up and down.
Value losses(const FigureInput& input) {
  return curves(input, tr("difference of losses"), [&](const std::string& training) {
    std::vector<Point> points;
    double most = 0, next = 1;
    for (const LossRow& row : rows_of<LossRow>(input.trace, training)) {
      const auto step = double(row.step);
      most = std::max(most, row.difference);
      if (step < next) continue;
      points.push_back({step, most > 0 ? most : kNone});
      most = 0;
      next = std::max(step + 1, next * 1.25);
    }
    return points;
  });
}

// As two curves of a dashboard: means of a twentieth of the steps.
Value by_eye(const FigureInput& input) {
  Lines lines{{tr("training step")}, {tr("loss")}, {}};
  size_t nth = 0;
  for (const char* training : {kBase, kOrder, kSeed}) {
    Line line{training, hue(nth), nth == 1 ? Stroke::kDots : Stroke::kMeasured};
    const auto rows = rows_of<LossRow>(input.trace, training);
    const size_t window = std::max<size_t>(1, rows.size() / 20);
    for (size_t from = 0; from + window <= rows.size(); from += window) {
      double sum = 0;
      for (size_t i = from; i < from + window; ++i) sum += rows[i].loss;
      line.points.push_back({double(rows[from + window - 1].step), sum / double(window)});
    }
    ++nth;
    if (!line.points.empty()) lines.lines.push_back(line);
  }
  return lines;
}

std::string shape_in_words(const Trace& trace, const std::string& training) {
  if (std::ranges::all_of(rows_of<DistanceRow>(trace, training),
                          [](const DistanceRow& row) { return row.relative == 0; }))
    return tr("same bits");
  const std::string words[] = {tr("cannot be told"), tr("rounding"), tr("jumps at 2"), tr("small, rises"),
                               tr("large at 1")};
  return words[size_t(shape_of(trace, training))];
}

Value evidence(const FigureInput& input) {
  Table table{columns({"training", "1", "2", "10", "100", "ranks", "unsent", "shape"}), {}};
  for (const char* training : {kOrder, kBucket, kNorm, kStale, kSame}) {
    const auto end = end_of(input.trace, training);
    if (!end) continue;
    const auto after = [&](int64_t step) {
      const auto row = distance_at(input.trace, training, step);
      return row ? TableCell{tr("{:.0e}", row->relative), row->relative} : TableCell{"-"};
    };
    table.rows.push_back(cells(training, after(1), after(2), after(10), after(100),
                               end->ranks_agree ? tr("agree") : tr("differ"),
                               bytes_cell(double(end->missing)), shape_in_words(input.trace, training)));
  }
  return table;
}

}  // namespace

std::vector<FigureOf> figures() {
  return {{"parameters", parameters, parameters_sentence},
          {"losses", losses},
          {"loss", by_eye},
          {"evidence", evidence}};
}

}  // namespace ringside::lessons::drift
