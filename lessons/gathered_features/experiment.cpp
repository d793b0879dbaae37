// Features gathered over ranks: which gradient results, and which optimizer shows it.
#include "embedded.h"
#include "parts.h"

namespace ringside::lessons::gathered_features {
namespace {

using namespace figure;

bool is_right(const GradientRow& row) { return row.cosine > 0.999 && std::abs(row.length - 1) < 0.001; }
std::string in_words(const GradientRow& row) {
  return tr("cosine {:.3f}, length {:.3f}", row.cosine, row.length);
}

int put_back_is(const Trace& trace) {  // of the options
  const GradientRow row = row_of<GradientRow>(trace, kPutBack);
  if (row.cosine < 0.999) return 3;
  const double times = row.length * double(row.ranks);
  return is_right(row) ? 0 : std::abs(times - 1) < 0.01 ? 1 : row.length > 1.01 ? 2 : -1;
}

ClaimResult handles_ranks(const Trace& trace) {
  const GradientRow constants = row_of<GradientRow>(trace, kConstants),
                    back = row_of<GradientRow>(trace, kPutBack);
  return judged(is_right(constants) && is_right(back), in_words(constants), in_words(back));
}

ClaimResult is_differentiable(const Trace& trace) {
  const GradientRow gathered = row_of<GradientRow>(trace, kConstants),
                    summed = row_of<GradientRow>(trace, kInPlace),
                    through = row_of<GradientRow>(trace, kSummed);
  return judged(is_right(gathered) && std::abs(summed.length - through.length) < 0.01, in_words(gathered),
                summed.length, through.length);
}

// The mean over ranks of the loss of each step: that of all rows.
std::vector<Point> losses_of(const SectionView* section) {
  std::vector<Point> points;
  for (int rank = 0; section != nullptr && rank < section->ranks(); ++rank)
    for (const ScalarEvent& event : section->scalars(rank)) {
      const auto step = size_t(event.step);
      if (points.size() <= step) points.push_back({double(step), 0});
      points[step].y += event.value / section->ranks();
    }
  return points;
}
Value losses(const FigureInput& input) {
  Lines lines{{tr("step")}, {tr("loss of all rows")}, {}};
  size_t nth = 0;
  for (const char* optimizer : {kSgd, kAdam})
    for (const char* way : {kScattered, kPutBack}) {
      const std::string name = tr("{}, {}", optimizer, way);
      const Line line{name, hue(nth++), way == kPutBack ? Stroke::kDots : Stroke::kMeasured,
                      losses_of(input.trace.find(name))};
      if (!line.points.empty()) lines.lines.push_back(line);
    }
  return lines;
}

}  // namespace

Lesson make_lesson() {
  return lesson_of(embedded("texts.inc"),
                   {.run = run,
                    .questions = {{"length", put_back_is}},
                    .claims = {{"handles", handles_ranks}, {"differentiable", is_differentiable}},
                    .figures = {{"losses", losses}}});
}

}  // namespace ringside::lessons::gathered_features
