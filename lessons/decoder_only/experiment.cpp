// What the source says of decoders against what was measured.
#include "embedded.h"
#include "parts.h"

namespace ringside::lessons::decoder_only {
namespace {

using namespace figure;

MatrixRow largest(const Trace& trace, const char* of, const char* mask) {
  return needed(rows_where<MatrixRow>(trace, having(&MatrixRow::of, of, &MatrixRow::mask, mask))).back();
}

ClaimResult full_rank(const Trace& trace) {
  const MatrixRow row = largest(trace, kRandom, kCausal);
  return judged(both(row.fp64 == row.T, std::isfinite(row.log10_det)), row.T, row.log10_det, row.fp64,
                row.fp32, row.bf16);
}

TaskRow task_of(const Trace& trace, const char* mask) { return row_of<TaskRow>(trace, mask); }

ClaimResult better(const Trace& trace) {
  return judged(Verdict::kNotTestable, task_of(trace, kCausal).last_byte, task_of(trace, kBoth).last_byte);
}

Value values(const FigureInput& input) {
  const bool of_random = input.section == nullptr || input.section->rows_of(MatrixRow::kTable).empty();
  const std::string of = of_random ? kRandom : input.section->name();
  Lines lines{{tr("place in the order of size")}, {tr("singular value"), "", true}, {}};
  for (const char* mask : {kCausal, kBoth}) {
    std::vector<Point> points = needed(curve(input.trace.find(of), fmt::format("{}, {}", of, mask)));
    for (Point& at : points) at.y = std::max(at.y, 1e-20);
    lines.lines.push_back({mask, hue(lines.lines.size()), Stroke::kMeasured, points});
  }
  return lines;
}

}  // namespace

Lesson make_lesson() {
  return lesson_of(embedded("texts.inc"), {.run = run,
                                           .as_processes = true,
                                           .claims = {{"full-rank", full_rank}, {"better", better}},
                                           .figures = {{"values", values}}});
}

}  // namespace ringside::lessons::decoder_only
