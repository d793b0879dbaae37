// What the source says of the grouping block against what was measured.
#include "embedded.h"
#include "parts.h"

namespace ringside::lessons::grouping {
namespace {

using namespace figure;

SumRow sums(const Trace& trace, const char* way) { return row_of<SumRow>(trace, way); }
TrainedRow trained(const Trace& trace, const char* way) { return last_row_of<TrainedRow>(trace, way); }
double gap(const Trace& trace, const char* way) { return trained(trace, way).times_made_hard(); }

bool is_1(double least, double most) { return std::abs(least - 1) < 1e-4 && std::abs(most - 1) < 1e-4; }

int over_what(const Trace& trace) {  // of the options
  const SumRow row = sums(trace, kGrouping);
  if (is_1(row.token_least, row.token_most)) return 0;
  return is_1(row.group_least, row.group_most) ? 1 : std::abs(row.all - 1) < 1e-4 ? 2 : 3;
}

ClaimResult is_clustering(const Trace& trace) {
  const SumRow grouping = sums(trace, kGrouping), attention = sums(trace, kAttention);
  return judged(both(is_1(grouping.token_least, grouping.token_most),
                     !is_1(attention.token_least, attention.token_most)),
                grouping.token_most, attention.token_least, attention.token_most, attention.group_most);
}

// Side by side: the shapes, k-means, and the three trainings as far as they have come.
Value picture(const FigureInput& input) {
  std::map<std::string, std::string> newest;
  for (const SectionView& section : input.trace.sections())
    for (const PictureRow& row : rows_in<PictureRow>(&section, input.time_ns)) newest[row.way] = row.tokens;
  Boxes boxes;
  for (const char* of : {kShapes, kClusters, kSoft, kGumbel, kStraight}) {
    const std::string& tokens = newest[of];
    std::vector<std::vector<Box>> rows(size_t(std::lround(std::sqrt(double(tokens.size())))));
    for (size_t j = 0; j < tokens.size(); ++j) {
      const auto name = size_t(tokens[j] - '0');
      rows[j / rows.size()].push_back({.text = std::string(1, ".oxv+"[name]), .ink = hue(name + 4)});
    }
    if (!rows.empty()) add_beside(boxes, of, rows);
  }
  return boxes;
}

std::vector<Attribute> picture_sentence(const FigureInput& input) {
  const auto block = rows_of<TrainedRow>(input.trace, kStraight);
  return {row_of<ClusterRow>(input.trace).accuracy,
          block.empty() ? "" : tr(", the trained block {:.0f} %", block.back().accuracy)};
}

// Both softmaxes of the same scores: the first tokens, and the sum over all.
Value weights(const FigureInput& input) {
  Matrix matrix{"", tr("token"), "", {}, {"1", "2", "3", "4", "5", "6", "7", "8", tr("all")}, {}, 0, 1};
  const size_t shown = matrix.columns.size() - 1;
  for (auto& [line, points] : curves_of(input.trace.find(kSame))) {
    if (line.starts_with("score") || points.size() < shown) continue;
    matrix.rows.push_back(line);
    double all = 0;
    for (const Point& at : points) all += at.y;
    points.resize(shown);
    points.push_back({0, all});
    for (const Point& at : points)
      matrix.cells.push_back(
          {MatrixCell::State::kValue, at.y, fmt::format("{:.{}f}", at.y, at.y < 100 ? 2 : 0), ""});
  }
  return matrix;
}

std::vector<Mark> of_k_means(const FigureInput& input) {
  const ClusterRow row = row_of<ClusterRow>(input.trace);
  return {{kClusters, row.accuracy, false}, {tr("largest kind"), row.largest, false}};
}

std::vector<Attribute> losses_sentence(const FigureInput& input) {
  return {gap(input.trace, kSoft), std::max(gap(input.trace, kGumbel), gap(input.trace, kStraight))};
}

}  // namespace

Lesson make_lesson() {
  return lesson_of(embedded("texts.inc"), {.run = run,
                                           .as_processes = true,
                                           .questions = {{"axis", over_what}},
                                           .claims = {{"clustering", is_clustering}},
                                           .figures = {{"picture", picture, picture_sentence},
                                                       {"weights", weights},
                                                       {"losses", {}, losses_sentence},
                                                       {.id = "accuracy", .marks = of_k_means}}});
}

}  // namespace ringside::lessons::grouping
