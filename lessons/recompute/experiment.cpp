// Activation checkpointing with and without ZeRO: what it saves, what it costs, what it leaves alone.

#include "embedded.h"
#include "parts.h"
#include "ringside/lesson/fields.h"
#include "ringside/planner/distribution.h"

namespace ringside::lessons::recompute {
namespace {

using namespace figure;

// ---- Questions --------------------------------------------------------------------

// Which formula is nearest to the measured peak of the largest model.
Words nearest_peak(const Trace& trace) {
  const Peaks peaks = peaks_of(trace);
  const double L = double(peaks.layers.back()), x = peaks.input, k = peaks.layer;
  std::pair<double, std::string> best = {INFINITY, ""};
  for (const auto& [formula, value] : {std::pair{"L x + k", L * x + k},
                                       {"x + k", x + k},
                                       {"L x", L * x},
                                       {"L k / 2", L * k / 2},
                                       {"L k", L * k}})
    best = std::min(best, {std::abs(peaks.counted() - value), formula});
  return {best.second};
}

double gathers(const Trace& trace) { return needed(pair_of(trace, 3)).on.gathers; }

// A backward counts as two forwards.
double compute(const Trace& trace) {
  const auto [off, on] = needed(pair_of(trace, 0));
  const auto passes = [](const Passes& p) { return p.forward + p.again + 2 * p.backward; };
  return passes(on) / passes(off);
}

struct Stages {  // that were run both ways
  int64_t all = 0, same = 0;
};
Stages stages_with_same_bits(const Trace& trace) {
  Stages stages;
  for (const int64_t stage : {0, 1, 2, 3})
    if (const auto pair = pair_of(trace, stage)) {
      ++stages.all;
      stages.same += pair->off.hash == pair->on.hash ? 1 : 0;
    }
  if (stages.all == 0) throw NotRun();
  return stages;
}

Words bits(const Trace& trace) {
  const Stages stages = stages_with_same_bits(trace);
  return {stages.same == stages.all ? "every bit is the same" : "the last digits differ"};
}

// ---- Claims -----------------------------------------------------------------------

ClaimResult gathers_three_times(const Trace& trace) {
  const auto [off, on] = needed(pair_of(trace, 3));
  if (on.gathers == 0) return {};
  return holds_if(on.gathers > off.gathers,
                  tr("this engine: {:g} gathers of a layer in a step with it, {:g} without; {} and {} sent "
                     "per rank; programs that gather three times exist (PyTorch #105635)",
                     on.gathers, off.gathers, format_bytes(on.sent), format_bytes(off.sent)));
}

ClaimResult changes_bits(const Trace& trace) {
  const Stages stages = stages_with_same_bits(trace);
  return holds_if(stages.same < stages.all,
                  tr("{} of {} stages end with the same bits", stages.same, stages.all));
}

ClaimResult one_more_forward(const Trace& trace) {
  const Passes on = needed(pair_of(trace, 0)).on;
  return holds_if(on.forward == on.again && on.backward == on.forward,
                  tr("a layer's passes in a step: {:g} forward, {:g} forward again, {:g} backward",
                     on.forward, on.again, on.backward));
}

ClaimResult peak_as_claimed(const Trace& trace) {
  const Peaks peaks = peaks_of(trace);
  const double counted = peaks.counted(), formula = peaks.formula();
  return holds_if(
      std::abs(counted - formula) < 0.1 * formula,
      tr("L = {}: {} counted, {} by the formula with x = {} and k = {}", peaks.layers.back(),
         format_bytes(counted), format_bytes(formula), format_bytes(peaks.input), format_bytes(peaks.layer)));
}

ClaimResult a_third_longer(const Trace& trace) {
  const SectionView* times = trace.find(kTimes);
  return judge_ratio(ns_of(times, kOn), ns_of(times, kOff), 1.25, 1.42, tr("times the CPU time of a step"));
}

std::string failed_check(const Trace& trace) {
  const Stages stages = stages_with_same_bits(trace);
  return stages.same == stages.all ? "" : tr("checkpointing changed bits");
}

// In MiB. Of the scenario's stage, checkpointing on.
GaugeOf gauge(const char* id, double Passes::*field) {
  return {id, [field](const FigureInput& input) {
            return needed(pair_of(input.trace, input.config.integer("stage"))).on.*field / (1 << 20);
          }};
}

// ---- Figures --------------------------------------------------------------------------

int64_t stage_of(const FigureInput& input) { return input.config.integer("stage"); }

// Rank 0's passes through a unit in the last step, in their order.
std::vector<SpanEvent> passes_in_order(const Trace& trace, const SectionView& section) {
  std::vector<SpanEvent> passes;
  const int64_t last = section.integer("steps") - 1;
  for (const SpanEvent& span : section.spans(0)) {
    const std::string& name = trace.name(span.name);
    if (span.step == last && (name == "forward" || name == "recompute" || name == "backward"))
      passes.push_back(span);
  }
  std::sort(passes.begin(), passes.end(),
            [](const auto& a, const auto& b) { return a.start_ns < b.start_ns; });
  return passes;
}

// The live bytes of activations, over passes: pass i lies between i and i + 1, however long it took.
Line line_of(const Trace& trace, const SectionView& section, std::string name, Ink ink) {
  Line line{std::move(name), ink, Stroke::kMeasured, {}};
  const std::vector<SpanEvent> passes = passes_in_order(trace, section);
  size_t at = 0;
  for (const MemoryEvent& event : section.memory(0, Category::kActivations)) {
    if (passes.empty() || event.time_ns < passes.front().start_ns) continue;
    if (event.time_ns > passes.back().end_ns) break;
    while (at + 1 < passes.size() && passes[at + 1].start_ns <= event.time_ns) ++at;
    const SpanEvent& pass = passes[at];
    const double length = double(std::max<int64_t>(1, pass.end_ns - pass.start_ns));
    const double within = std::min(1.0, double(event.time_ns - pass.start_ns) / length);
    line.points.push_back({double(at) + within, double(event.live_bytes)});
  }
  return line;
}

Value memory(const FigureInput& input) {
  Lines lines{{tr("passes through a unit, one after the other")}, {tr("activations"), "bytes"}, {}};
  for (const bool on : {false, true}) {
    const SectionView* section = input.trace.find(stage_section(stage_of(input), on));
    if (section == nullptr || !section->has(kHash)) continue;
    Line line = line_of(input.trace, *section, on ? tr("checkpointing") : tr("everything is kept"),
                        on ? Ink::kActivations : Ink::kOther);
    if (!line.points.empty()) lines.lines.push_back(std::move(line));
    if (on) lines.marks = {{tr("backward begins"), section->number("units")}};
  }
  return lines;
}

std::string memory_sentence(const FigureInput& input) {
  const auto [off, on] = needed(pair_of(input.trace, stage_of(input)));
  if (off.activations == 0) return "";
  const double percent = 100 * on.activations / off.activations;
  if (on.gathers == 0 && on.sent == off.sent)
    return tr("Checkpointing leaves {:.0f} % of the activations and sends as much as without it: {}.",
              percent, format_bytes(on.sent));
  if (on.gathers == 0)
    return tr("Checkpointing leaves {:.0f} % of the activations and sends {}, not {}.", percent,
              format_bytes(on.sent), format_bytes(off.sent));
  if (on.gathers == off.gathers)
    return tr("Checkpointing leaves {:.0f} % of the activations; a layer is still gathered {:g} times.",
              percent, on.gathers);
  return tr("Checkpointing leaves {:.0f} % of the activations; a layer is gathered {:g} times, not {:g}.",
            percent, on.gathers, off.gathers);
}

Value over_layers(const FigureInput& input) {
  const Peaks peaks = peaks_of(input.trace);
  Lines lines{{tr("layers L")},
              {tr("peak of activations"), "bytes", false, 0.0},
              {{tr("everything is kept"), Ink::kOther},
               {tr("checkpointing"), Ink::kActivations, Stroke::kDots},
               {"L x + k", Ink::kText, Stroke::kFormula}}};
  for (size_t i = 0; i < peaks.layers.size(); ++i) {
    const auto layers = double(peaks.layers[i]);
    lines.lines[0].points.push_back({layers, peaks.off[i]});
    lines.lines[1].points.push_back({layers, peaks.on[i]});
    lines.lines[2].points.push_back({layers, layers * peaks.input + peaks.layer + peaks.rest});
  }
  return lines;
}

std::string over_layers_sentence(const FigureInput& input) {
  const Peaks peaks = peaks_of(input.trace);
  const double layers = double(peaks.layers.back() - peaks.layers.front());
  return tr("One more layer costs {} at the peak, {} with checkpointing; its input has {}.",
            format_bytes(peaks.layer), format_bytes((peaks.on.back() - peaks.on.front()) / layers),
            format_bytes(peaks.input));
}

TableCell size(double bytes) { return {format_bytes(bytes), bytes}; }

Value passes(const FigureInput& input) {
  Table table{columns({"stage", "again?", "forward []", "again []", "gathers []", "sent []", "activations []",
                       "everything []", "bits"}),
              {}};
  const auto number = [](double value) { return TableCell{tr("{:g}", value), value}; };
  for (const int64_t stage : {0, 1, 2, 3}) {
    const auto pair = pair_of(input.trace, stage);
    if (!pair) continue;
    if (stage == stage_of(input)) table.lit = {table.rows.size(), table.rows.size() + 1};
    for (const bool on : {false, true}) {
      const Passes& row = on ? pair->on : pair->off;
      const std::string hash = row.hash.substr(0, 8);
      table.rows.push_back(cells(stage, on ? tr("on") : tr("off"), number(row.forward), number(row.again),
                                 number(row.gathers), size(row.sent), size(row.activations), size(row.total),
                                 row.hash == pair->off.hash ? hash : tr("{}, others", hash)));
    }
  }
  return table;
}

Value times(const FigureInput& input) {
  const auto on = ns_of(input.trace.find(kTimes), kOn), off = ns_of(input.trace.find(kTimes), kOff);
  Line line{tr("CPU time"), Ink::kActivations, Stroke::kDots};
  for (size_t i = 0; i < std::min(on.size(), off.size()); ++i)
    line.points.push_back({double(i + 1), on[i] / off[i]});
  needed(line.points);
  return Lines{{tr("round")},
               {tr("step with checkpointing, in steps without"), "", false, 1.0},
               {line},
               {},
               {{"4/3", 4.0 / 3, false}}};
}

std::string times_sentence(const FigureInput& input) {
  const auto on = ns_of(input.trace.find(kTimes), kOn), off = ns_of(input.trace.find(kTimes), kOff);
  if (on.empty() || on.size() != off.size()) return "";
  return tr("A step takes {} times the CPU time; the passes alone would be 4/3.",
            to_text(ratio_interval(on, off)));
}

std::vector<Readout> readouts(const FigureInput& input) {
  if (input.is_open("peak")) return {};
  const auto [off, on] = needed(pair_of(input.trace, stage_of(input)));
  return {{tr("activations, all kept"), format_bytes(off.activations)},
          {tr("activations, checkpointing"), format_bytes(on.activations)}};
}

}  // namespace

Lesson make_lesson() {
  return lesson_of(
      embedded("texts.inc"),
      {.parameters = {spec_of_field<Distribution>("stage"), spec_of_field<Distribution>("precision")},
       .run = run,
       .as_processes = true,
       .questions = {{"peak", nearest_peak}, {"gathers", gathers}, {"compute", compute}, {"bits", bits}},
       .claims = {{"gathers", gathers_three_times},
                  {"bits", changes_bits},
                  {"forward", one_more_forward},
                  {"peak", peak_as_claimed},
                  {"time", a_third_longer}},
       .figures = {{"curve", memory, memory_sentence},
                   {"layers", over_layers, over_layers_sentence},
                   {"passes", passes},
                   {"times", times, times_sentence}},
       .gauges = {gauge("activations", &Passes::activations), gauge("total", &Passes::total),
                  gauge("sent", &Passes::sent)},
       .readouts = readouts,
       .failed_check = failed_check});
}

}  // namespace ringside::lessons::recompute
