// What the source says of decoders against what was measured.
#include "embedded.h"
#include "parts.h"

namespace ringside::lessons::decoder_only {
namespace {

using namespace figure;

MatrixRow largest(const Trace& trace, const char* of, const char* mask) {
  return needed(rows_where<MatrixRow>(trace, having(&MatrixRow::of, of, &MatrixRow::mask, mask))).back();
}

int who_is_full(const Trace& trace) {  // of the options
  const MatrixRow causal = largest(trace, kRandom, kCausal), both = largest(trace, kRandom, kBoth);
  const bool causal_full = causal.fp64 == causal.T, both_full = both.fp64 == both.T;
  return causal_full ? (both_full ? 0 : 1) : both_full ? 2 : 3;
}

double distance(const Trace& trace, const std::string& line) { return needed(last_of(trace, kDepth, line)); }

int who_collapses(const Trace& trace) {
  const double causal = distance(trace, kCausal), both = distance(trace, kBoth);
  constexpr double kEqual = 1e-3;  // of the length of X
  if (both < kEqual && causal > 10 * both) return 0;
  if (causal < kEqual && both > 10 * causal) return 1;
  return causal < kEqual && both < kEqual ? 2 : 3;
}

WrittenRow written(const Trace& trace, const char* way) { return row_of<WrittenRow>(trace, way); }
double read_without(const Trace& trace) { return double(written(trace, kWithout).read); }

ClaimResult low_rank(const Trace& trace) {
  const MatrixRow row = largest(trace, kRandom, kBoth), model = largest(trace, kTrained, kBoth),
                  causal = largest(trace, kTrained, kCausal);
  return judged(both(row.fp64 < row.T, model.effective < 0.5 * causal.effective), row.fp64, row.T,
                model.effective, causal.effective);
}

ClaimResult full_rank(const Trace& trace) {
  const MatrixRow row = largest(trace, kRandom, kCausal);
  return judged(both(row.fp64 == row.T, std::isfinite(row.log10_det)), row.T, row.log10_det, row.fp64,
                row.fp32, row.bf16);
}

ClaimResult collapses(const Trace& trace) {
  const double alone = distance(trace, kBoth), causal = distance(trace, kCausal),
               skip = distance(trace, "bidirectional, skip"),
               mlp = distance(trace, "bidirectional, skip, MLP");
  return judged(both(alone < 1e-3, 0.01 < std::min(skip, mlp)), alone, skip, mlp, causal);
}

TaskRow task_of(const Trace& trace, const char* mask) { return row_of<TaskRow>(trace, mask); }

ClaimResult every_position(const Trace& trace) {
  const TaskRow causal = task_of(trace, kCausal), masked = task_of(trace, kBoth);
  return judged(causal.with_loss > 90 && masked.with_loss < 30, causal.with_loss, masked.with_loss,
                causal.steps, causal.last_byte, masked.last_byte);
}

ClaimResult better(const Trace& trace) {
  return judged(Verdict::kNotTestable, task_of(trace, kCausal).last_byte, task_of(trace, kBoth).last_byte);
}

ClaimResult can_cache(const Trace& trace) {
  const WrittenRow with = written(trace, kWith), without = written(trace, kWithout);
  return judged(with.same && with.read < without.read, with.written, with.read, without.read);
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

std::vector<Attribute> values_sentence(const FigureInput& input) {
  const MatrixRow causal = largest(input.trace, kRandom, kCausal);
  return {causal.T, causal.fp64, largest(input.trace, kRandom, kBoth).fp64};
}

std::vector<Attribute> depth_sentence(const FigureInput& input) {
  const auto last = [&](const char* line) { return distance(input.trace, line); };
  return {last(kCausal), last(kBoth), last("causal, skip"), last("bidirectional, skip")};
}

std::vector<Attribute> tasks_sentence(const FigureInput& input) {
  return {task_of(input.trace, kCausal).with_loss, task_of(input.trace, kBoth).with_loss};
}

std::vector<Attribute> written_sentence(const FigureInput& input) {
  const WrittenRow with = written(input.trace, kWith), without = written(input.trace, kWithout);
  return {with.written, format_count(with.read), format_count(without.read)};
}

}  // namespace

Lesson make_lesson() {
  return lesson_of(embedded("texts.inc"),
                   {.run = run,
                    .as_processes = true,
                    .questions = {{"rank", who_is_full}, {"stack", who_collapses}, {"read", read_without}},
                    .claims = {{"low-rank", low_rank},
                               {"full-rank", full_rank},
                               {"collapse", collapses},
                               {"positions", every_position},
                               {"better", better},
                               {"cache", can_cache}},
                    .figures = {{"values", values, values_sentence},
                                {"depth", {}, depth_sentence},
                                {"tasks", {}, tasks_sentence},
                                {"written", {}, written_sentence}}});
}

}  // namespace ringside::lessons::decoder_only
