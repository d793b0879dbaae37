// What the source says of the grouping block against what was measured.
#include "embedded.h"
#include "parts.h"

namespace ringside::lessons::grouping {
namespace {

using namespace figure;

TrainedRow trained(const Trace& trace, const char* way) {
  return needed(rows_where<TrainedRow>(trace, having(&TrainedRow::way, way))).back();
}
double gap(const Trace& trace, const char* way) {  // how many times the error is, made 0/1
  const TrainedRow row = trained(trace, way);
  return row.hard / row.error;
}

// ---- Questions -----------------------------------------------------------------------

bool is_1(double least, double most) { return std::abs(least - 1) < 1e-4 && std::abs(most - 1) < 1e-4; }

int over_what(const Trace& trace) {  // of the options
  const SumRow row = row_of<SumRow>(trace, kGrouping);
  if (is_1(row.token_least, row.token_most)) return 0;
  return is_1(row.group_least, row.group_most) ? 1 : std::abs(row.all - 1) < 1e-4 ? 2 : 3;
}
double all_weights(const Trace& trace) { return row_of<SumRow>(trace, kGrouping).all; }

int still_learns(const Trace& trace) {
  const double above = row_of<DialRow>(trace, kGumbel, 0.1).above;
  return above > 97 ? 0 : above > 45 ? 1 : above > 3 ? 2 : 3;
}

constexpr double kMuch = 3;          // times an error
int who_rises(const Trace& trace) {  // as it was asked: at tau = 1
  row_of<SceneRow>(trace, 1);
  const bool soft = gap(trace, kSoft) > kMuch, gumbel = gap(trace, kGumbel) > kMuch,
             straight = gap(trace, kStraight) > kMuch;
  if (soft && gumbel && straight) return 0;
  if (soft) return 1;
  return straight ? 2 : 3;
}

// ---- Claims --------------------------------------------------------------------------

ClaimResult keeps_weights(const Trace& trace) {
  const SumRow row = row_of<SumRow>(trace, kGrouping);
  const ClusterRow chance = needed(rows_in<ClusterRow>(trace)).front();
  const bool sums = row.difference<1e-4, read = trained(trace, kStraight).accuracy> chance.largest + 0.1;
  return {
      both(read, !sums),
      tr("the block puts out each group's token plus a weighted mean of values (largest difference {:.0e}), "
         "as attention puts out a weighted sum. Its weights are kept as well: read alone they find {:.0f} % "
         "of the shapes",
         row.difference, 100 * trained(trace, kStraight).accuracy)};
}

ClaimResult is_clustering(const Trace& trace) {
  const SumRow grouping = row_of<SumRow>(trace, kGrouping), attention = row_of<SumRow>(trace, kAttention);
  return {both(is_1(grouping.token_least, grouping.token_most),
               !is_1(attention.token_least, attention.token_most)),
          tr("each token's weights add up to {:.3f} over the groups. In attention with the same scores they "
             "add up to {:.3f} to {:.3f}, and each group's to {:.3f}",
             grouping.token_most, attention.token_least, attention.token_most, attention.group_most)};
}

ClaimResult cold(const Trace& trace) {
  const DialRow row = row_of<DialRow>(trace, kGumbel, 0.05), warm = row_of<DialRow>(trace, kGumbel, 1);
  return {both(row.near > 50, row.above > 90),
          tr("at tau = 0.05 {:.0f} % of the tokens have a weight above 0.99, at tau = 1 {:.0f} %. There is a "
             "gradient, and it is above 1/1000 of the median at tau = 1 for {:.0f} %",
             row.near, warm.near, row.above)};
}

ClaimResult trade_off(const Trace& trace) {
  const DialRow cold = row_of<DialRow>(trace, kGumbel, 0.1), warm = row_of<DialRow>(trace, kGumbel, 1);
  return {both(cold.signal < 0.5 * warm.signal, cold.bias < 0.5 * warm.bias),
          tr("from tau = 1 to 0.1 the mean gradient falls from {:.2f} to {:.2f} of its deviation, and its "
             "distance from the exact one from {:.0f} to {:.0f} %",
             warm.signal, cold.signal, 100 * warm.bias, 100 * cold.bias)};
}

ClaimResult is_biased(const Trace& trace) {
  const DialRow row = row_of<DialRow>(trace, kStraight, 1), gumbel = row_of<DialRow>(trace, kGumbel, 1);
  return holds_if(row.bias > 0.1,
                  tr("at tau = 1 the mean of 200 draws is {:.0f} % off the exact gradient; with "
                     "Gumbel noise and soft weights it is {:.0f} % off",
                     100 * row.bias, 100 * gumbel.bias));
}

ClaimResult soft_is_enough(const Trace& trace) {
  return holds_if(
      gap(trace, kSoft) < kMuch,
      tr("made 0/1 after a soft training the error is {:.1f} times as large, after one with Gumbel "
         "noise {:.2f} times, after a straight-through one {:.2f} times",
         gap(trace, kSoft), gap(trace, kGumbel), gap(trace, kStraight)));
}

ClaimResult as_k_means(const Trace& trace) {
  const double clusters = needed(rows_in<ClusterRow>(trace)).front().accuracy,
               block = trained(trace, kStraight).accuracy;
  return holds_if(
      std::abs(block - clusters) < 0.05,
      tr("k-means on the same tokens, told the number of kinds, finds {:.0f} % of the shapes, the "
         "block {:.0f} %",
         100 * clusters, 100 * block));
}

// ---- Figures -------------------------------------------------------------------------

// The newest of a way, as far as the run had come.
std::string newest(const FigureInput& input, const std::string& way) {
  std::string tokens;
  for (const SectionView& section : input.trace.sections())
    for (const PictureRow& row : rows_in<PictureRow>(&section, input.time_ns))
      if (row.way == way) tokens = row.tokens;
  return tokens;
}

// Side by side: the shapes, k-means, and the three trainings as far as they have come.
Value picture(const FigureInput& input) {
  Boxes boxes{{{"", {}, ""}}};
  for (const char* of : {kShapes, kClusters, kSoft, kGumbel, kStraight}) {
    const std::string tokens = newest(input, of);
    if (tokens.empty()) continue;
    const auto side = size_t(std::lround(std::sqrt(double(tokens.size()))));
    boxes.rows.resize(side + 1);
    if (!boxes.rows[0].boxes.empty())
      for (BoxRow& row : boxes.rows) row.boxes.push_back({.text = "", .filled = false, .blank = true});
    boxes.rows[0].boxes.push_back({.text = of, .width = double(side), .filled = false, .blank = true});
    for (size_t j = 0; j < tokens.size(); ++j) {
      const auto name = size_t(tokens[j] - '0');
      boxes.rows[1 + j / side].boxes.push_back({.text = std::string(1, ".oxv+"[name]), .ink = hue(name + 4)});
    }
  }
  if (boxes.rows.size() == 1) throw NotRun();
  return boxes;
}

std::string picture_sentence(const FigureInput& input) {
  const ClusterRow clusters = needed(rows_in<ClusterRow>(input.trace)).front();
  const std::string words =
      tr("A letter is the kind that a token's group fits best. In all held-out scenes "
         "k-means finds {:.0f} % of the shapes",
         100 * clusters.accuracy);
  const auto last = rows_where<TrainedRow>(input.trace, having(&TrainedRow::way, kStraight));
  return last.empty() ? words + "."
                      : tr("{}, the trained block {:.0f} %.", words, 100 * last.back().accuracy);
}

// Both softmaxes of the same scores: the first tokens, and the sum over all.
Value weights(const FigureInput& input) {
  constexpr size_t kShown = 8;
  Matrix matrix{"", tr("token"), "", {}, {}, {}, 0, 1};
  for (size_t j = 1; j <= kShown; ++j) matrix.columns.push_back(std::to_string(j));
  matrix.columns.push_back(tr("all"));
  const auto add = [&](std::string name, const std::vector<Point>& of_tokens) {
    matrix.rows.push_back(std::move(name));
    double sum = 0;
    for (const Point& at : of_tokens) sum += at.y;
    for (size_t j = 0; j <= kShown; ++j) {
      const double value = j < kShown ? of_tokens[j].y : sum;
      matrix.cells.push_back({MatrixCell::State::kValue, value, fmt::format("{:.2f}", value), ""});
    }
  };
  for (const char* way : {kAttention, kGrouping}) {
    std::vector<Point> sums;
    for (int group = 1;; ++group) {
      const std::string name = fmt::format("{}, group {}", way, group);
      const auto points = curve(input.trace, kSame, name);
      if (points.size() < std::max(kShown, sums.size())) break;
      sums.resize(points.size());
      for (size_t j = 0; j < points.size(); ++j) sums[j].y += points[j].y;
      add(name, points);
    }
    if (!sums.empty()) add(fmt::format("{}, {}", way, tr("sum")), sums);
  }
  return matrix;
}

FigureValue dial_lines(Axis y, double DialRow::*of) {
  return [=](const FigureInput& input) -> Value {
    Lines lines{{tr("temperature tau"), "", true}, y, {}};
    for (size_t i = 0; i < std::size(kWays); ++i) {
      auto points =
          points_of(rows_where<DialRow>(input.trace, having(&DialRow::way, kWays[i])), &DialRow::tau, of);
      std::erase_if(points, [&](const Point& at) { return y.log && at.y <= 0; });
      if (!points.empty()) lines.lines.push_back({kWays[i], hue(i), Stroke::kMeasured, points});
    }
    return lines;
  };
}

std::vector<TableCell> dial(const DialRow& row) {
  return cells(row.way, row.tau, row.entropy, cell(row.near, 0),
               TableCell{fmt::format("{:.1e}", row.gradient), row.gradient}, cell(row.above, 0),
               row.signal > 0 ? cell(row.signal) : cell(tr("no draws")), row.bias);
}

Value accuracy(const FigureInput& input) {
  Lines lines{{tr("step")}, {tr("tokens that are right"), "%", false, 0.0, 100.0}, {}};
  for (size_t i = 0; i < std::size(kWays); ++i) {
    auto points = curve(input.trace, kWays[i], kAccuracy);
    for (Point& at : points) at.y *= 100;
    if (!points.empty()) lines.lines.push_back({kWays[i], hue(i), Stroke::kMeasured, points});
  }
  if (lines.lines.empty()) throw NotRun();
  for (const ClusterRow& row : rows_in<ClusterRow>(input.trace))
    lines.marks = {{kClusters, 100 * row.accuracy, false}, {tr("largest kind"), 100 * row.largest, false}};
  return lines;
}

Value losses(const FigureInput& input) {
  Bars bars{{tr("error of the colours"), "", false, 0.0},
            {{tr("as trained"), hue(3)}, {tr("made 0/1"), hue(1)}},
            {},
            false};
  for (const char* way : kWays)
    if (const auto rows = rows_where<TrainedRow>(input.trace, having(&TrainedRow::way, way)); !rows.empty())
      bars.rows.push_back({way,
                           {rows.back().error, rows.back().hard},
                           fmt::format("{:.3f}, {:.3f}", rows.back().error, rows.back().hard)});
  return bars;
}

std::string losses_sentence(const FigureInput& input) {
  return tr(
      "Made 0/1, the error is {:.1f} times as large after the soft training, {:.1f} times after the others "
      "at most.",
      gap(input.trace, kSoft), std::max(gap(input.trace, kGumbel), gap(input.trace, kStraight)));
}

}  // namespace

Lesson make_lesson() {
  return lesson_of(
      embedded("texts.inc"),
      {.run = run,
       .as_processes = true,
       .questions =
           {{"axis", over_what}, {"sum", all_weights}, {"alive", still_learns}, {"rises", who_rises}},
       .claims = {{"weights", keeps_weights},
                  {"clustering", is_clustering},
                  {"cold", cold},
                  {"trade", trade_off},
                  {"biased", is_biased},
                  {"enough", soft_is_enough},
                  {"k-means", as_k_means}},
       .figures = {{"picture", picture, picture_sentence},
                   {"weights", weights},
                   {"losses", losses, losses_sentence},
                   {"accuracy", accuracy},
                   {"above", dial_lines({tr("above 1/1000"), "%"}, &DialRow::above)},
                   {"bias", dial_lines({tr("distance from the exact gradient"), "", true}, &DialRow::bias)},
                   {"signal",
                    dial_lines({tr("mean gradient over its deviation"), "", true}, &DialRow::signal)},
                   {"dial",
                    table_of_each(dial, {"weights", "tau []", "entropy [nats]", "near 0/1 [%]", "gradient []",
                                         "above 1/1000 [%]", "signal []", "bias []"})}},
       .gauges = {{"gap", [](const Trace& trace) { return gap(trace, kSoft); }},
                  {"right", [](const Trace& trace) { return 100 * trained(trace, kStraight).accuracy; }}}});
}

}  // namespace ringside::lessons::grouping
