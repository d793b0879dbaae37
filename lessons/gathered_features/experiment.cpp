// Features gathered over ranks: which gradient results, and which optimizer shows it.
#include "embedded.h"
#include "parts.h"

namespace ringside::lessons::gathered_features {
namespace {

using namespace figure;

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
  return lesson_of(embedded("texts.inc"), {.run = run, .figures = {{"losses", losses}}});
}

}  // namespace ringside::lessons::gathered_features
