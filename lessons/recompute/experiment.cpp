// Activation checkpointing with and without ZeRO: what it saves, what it costs, what it leaves alone.
#include "embedded.h"
#include "parts.h"
#include "ringside/lesson/fields.h"
#include "ringside/planner/distribution.h"
#include "ringside/trace/measure.h"

namespace ringside::lessons::recompute {
namespace {

using namespace figure;

std::pair<PassesRow, PassesRow> pair_of(const FigureInput& input) {
  const int64_t stage = input.config.integer("stage");
  return {row_of<PassesRow>(input.trace, stage, kOff), row_of<PassesRow>(input.trace, stage, kOn)};
}

double slope(const std::vector<Point>& line) {
  return (line.back().y - line.front().y) / (line.back().x - line.front().x);
}

// Peaks over L layers. Without checkpointing every layer keeps k bytes and the rest of the model c: L k + c.
// A layer's input has x bytes.
struct Peaks {
  std::vector<Point> off, on;
  double L = 0, x = 0, k = 0, c = 0;                  // L: of the largest model
  double counted() const { return on.back().y - c; }  // of it
  double formula(double layers) const { return layers * x + k; }
};
Peaks peaks_of(const Trace& trace) {
  Peaks of{curve(trace, kSweep, kOff), curve(trace, kSweep, kOn)};
  if (of.on.size() < 2 || of.off.size() != of.on.size()) throw NotRun();
  of.L = of.off.back().x, of.x = last_of(trace, kSweep, kInput), of.k = slope(of.off);
  of.c = of.off.back().y - of.k * of.L;
  return of;
}

// ---- Questions and claims ---------------------------------------------------------

// Which formula is nearest to the measured peak of the largest model.
Words nearest_peak(const Trace& trace) {
  const Peaks of = peaks_of(trace);
  const auto [off, on, L, x, k, c] = of;
  const auto error = [&](double bytes) { return std::abs(of.counted() - bytes); };
  const std::map<double, std::string> formulas = {{error(L * x + k), "L x + k"},
                                                  {error(x + k), "x + k"},
                                                  {error(L * x), "L x"},
                                                  {error(L * k / 2), "L k / 2"},
                                                  {error(L * k), "L k"}};
  return {formulas.begin()->second};
}

std::vector<PassesRow> with_checkpointing(const Trace& trace) {
  return needed(rows_where<PassesRow>(trace, having(&PassesRow::way, kOn)));
}

int bits(const Trace& trace) {  // of the options
  return std::ranges::all_of(with_checkpointing(trace), &PassesRow::same_bits) ? 0 : 1;
}

ClaimResult peak_as_claimed(const Trace& trace) {
  const Peaks of = peaks_of(trace);
  const double formula = of.formula(of.L);
  return judged(std::abs(of.counted() - formula) < 0.1 * formula, of.L, format_bytes(of.counted()),
                format_bytes(of.c), format_bytes(formula), format_bytes(of.x), format_bytes(of.k));
}

std::string failed_check(const Trace& trace) {
  return bits(trace) == 0 ? "" : tr("checkpointing changed bits");
}

// ---- Figures ----------------------------------------------------------------------

// The live bytes of activations over rank 0's passes through a unit in the last step: pass i lies between i
// and i + 1, however long it took.
std::vector<Point> activations(const Trace& trace, const SectionView& section) {
  std::vector<SpanEvent> passes;
  for (const char* pass : {"forward", "recompute", "backward"})
    for (const SpanEvent& span : spans_named(trace, section, pass))
      if (span.step == section.integer("steps") - 1) passes.push_back(span);
  std::ranges::sort(passes, {}, &SpanEvent::start_ns);
  std::vector<Point> points;
  for (const MemoryEvent& event : section.memory(0, Category::kActivations)) {
    const auto next = std::ranges::upper_bound(passes, event.time_ns, {}, &SpanEvent::start_ns);
    if (next == passes.begin() || event.time_ns > passes.back().end_ns) continue;
    const auto at = double(next - passes.begin() - 1);
    const SpanEvent& pass = next[-1];
    const auto length = double(std::max<int64_t>(1, pass.end_ns - pass.start_ns));
    points.push_back(
        {at + std::min(1.0, double(event.time_ns - pass.start_ns) / length), double(event.live_bytes)});
  }
  return points;
}

Value memory(const FigureInput& input) {
  Lines lines{{tr("passes through a unit, one after the other")}, {tr("activations"), "bytes"}, {}};
  for (const PassesRow& row : rows_of<PassesRow>(input.trace, input.config.integer("stage"))) {
    const SectionView& section = needed(input.trace.find(stage_section(row.stage, row.way)));
    const bool on = row.way == kOn;
    lines.lines.push_back({on ? tr("checkpointing") : tr("everything is kept"),
                           on ? Ink::kActivations : Ink::kOther, Stroke::kMeasured,
                           activations(input.trace, section)});
    if (on) lines.marks = {{tr("backward begins"), section.number("units")}};
  }
  return lines;
}

std::vector<Attribute> memory_sentence(const FigureInput& input) {
  const auto [off, on] = pair_of(input);
  return {100 * on.activations / off.activations,
          on.gathers == off.gathers && on.gathers > 0
              ? tr("; a layer is still gathered {:g} times", on.gathers)
          : on.gathers > 0      ? tr("; a layer is gathered {:g} times, not {:g}", on.gathers, off.gathers)
          : on.sent == off.sent ? tr(" and sends as much as without it: {}", format_bytes(on.sent))
                                : tr(" and sends {}, not {}", format_bytes(on.sent), format_bytes(off.sent))};
}

Value over_layers(const FigureInput& input) {
  const Peaks of = peaks_of(input.trace);
  const auto formula = points_of(of.off, &Point::x, [&](const Point& at) { return of.formula(at.x) + of.c; });
  return Lines{{tr("layers L")},
               {tr("peak of activations"), "bytes", false, 0.0},
               {{tr("everything is kept"), Ink::kOther, Stroke::kMeasured, of.off},
                {tr("checkpointing"), Ink::kActivations, Stroke::kDots, of.on},
                {tr("L x + k, and the rest of the model"), Ink::kText, Stroke::kFormula, formula}}};
}

std::vector<Attribute> over_layers_sentence(const FigureInput& input) {
  const Peaks of = peaks_of(input.trace);
  return {format_bytes(of.k), format_bytes(slope(of.on)), format_bytes(of.x)};
}

std::vector<Attribute> times_sentence(const FigureInput& input) {
  const SectionView* const section = input.trace.find(kTimes);
  const auto on = needed(ns_of(section, kOn)), off = ns_of(section, kOff);
  if (on.size() != off.size()) throw NotRun();
  return {to_text(ratio_interval(on, off))};
}

}  // namespace

Lesson make_lesson() {
  return lesson_of(embedded("texts.inc"), {.parameters = {spec_of_field<Distribution>("stage"),
                                                          spec_of_field<Distribution>("precision")},
                                           .run = run,
                                           .as_processes = true,
                                           .questions = {{"peak", nearest_peak}, {"bits", bits}},
                                           .claims = {{"peak", peak_as_claimed}},
                                           .figures = {{"curve", memory, memory_sentence},
                                                       {"layers", over_layers, over_layers_sentence},
                                                       {"times", {}, times_sentence}},
                                           .failed_check = failed_check});
}

}  // namespace ringside::lessons::recompute
