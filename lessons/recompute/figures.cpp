#include <fmt/format.h>

#include <algorithm>

#include "parts.h"
#include "ringside/base/units.h"
#include "ringside/lesson/figure_forms.h"
#include "ringside/lesson/tr.h"

namespace ringside::recompute_lesson {
namespace {

using namespace figure;

const std::string kNothingYet = tr("Nothing has been trained yet.");

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
    const double length = static_cast<double>(std::max<int64_t>(1, pass.end_ns - pass.start_ns));
    const double within = std::min(1.0, static_cast<double>(event.time_ns - pass.start_ns) / length);
    line.points.push_back({static_cast<double>(at) + within, static_cast<double>(event.live_bytes)});
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
  return or_nothing(lines, kNothingYet);
}

std::string memory_sentence(const FigureInput& input) {
  const auto off = passes_of(input.trace, stage_section(stage_of(input), false)),
             on = passes_of(input.trace, stage_section(stage_of(input), true));
  if (!off || !on || off->activations == 0) return "";
  const double percent = 100 * on->activations / off->activations;
  if (on->gathers == 0 && on->sent == off->sent)
    return tr("Checkpointing leaves {:.0f} % of the activations and sends as much as without it: {}.",
              percent, format_bytes(on->sent));
  if (on->gathers == 0)
    return tr("Checkpointing leaves {:.0f} % of the activations and sends {}, not {}.", percent,
              format_bytes(on->sent), format_bytes(off->sent));
  if (on->gathers == off->gathers)
    return tr("Checkpointing leaves {:.0f} % of the activations; a layer is still gathered {:g} times.",
              percent, on->gathers);
  return tr("Checkpointing leaves {:.0f} % of the activations; a layer is gathered {:g} times, not {:g}.",
            percent, on->gathers, off->gathers);
}

Value over_layers(const FigureInput& input) {
  const auto peaks = peaks_of(input.trace);
  if (!peaks) return Nothing{tr("The models of several depths have not been trained yet.")};
  Lines lines{{tr("layers L")}, {tr("peak of activations"), "bytes", false, 0.0}, {}};
  Line off{tr("everything is kept"), Ink::kOther, Stroke::kMeasured, {}};
  Line on{tr("checkpointing"), Ink::kActivations, Stroke::kDots, {}};
  Line formula{"L x + k", Ink::kText, Stroke::kFormula, {}};
  for (size_t i = 0; i < peaks->layers.size(); ++i) {
    const auto layers = static_cast<double>(peaks->layers[i]);
    off.points.push_back({layers, peaks->off[i]});
    on.points.push_back({layers, peaks->on[i]});
    formula.points.push_back({layers, layers * peaks->input + peaks->layer + peaks->rest});
  }
  lines.lines = {off, on, formula};
  return lines;
}

std::string over_layers_sentence(const FigureInput& input) {
  const auto peaks = peaks_of(input.trace);
  if (!peaks) return "";
  const double layers = static_cast<double>(peaks->layers.back() - peaks->layers.front());
  return tr("One more layer costs {} at the peak, {} with checkpointing; its input has {}.",
            format_bytes(peaks->layer), format_bytes((peaks->on.back() - peaks->on.front()) / layers),
            format_bytes(peaks->input));
}

Value passes(const FigureInput& input) {
  Table table{{{tr("stage")},
               {tr("again?")},
               {tr("forward"), "", true},
               {tr("again"), "", true},
               {tr("gathers"), "", true},
               {tr("sent"), "", true},
               {tr("activations"), "", true},
               {tr("everything"), "", true},
               {tr("bits")}},
              {}};
  for (const int64_t stage : {0, 1, 2, 3}) {
    const auto off = passes_of(input.trace, stage_section(stage, false));
    for (const bool on : {false, true}) {
      const auto row = passes_of(input.trace, stage_section(stage, on));
      if (!row || !off) continue;
      const auto number = [](double value) { return TableCell{fmt::format("{:g}", value), value}; };
      const auto size = [](double value) { return TableCell{format_bytes(value), value}; };
      if (stage == stage_of(input)) table.lit.push_back(table.rows.size());
      table.rows.push_back(
          {{std::to_string(stage)},
           {on ? tr("on") : tr("off")},
           number(row->forward),
           number(row->again),
           number(row->gathers),
           size(row->sent),
           size(row->activations),
           size(row->total),
           {row->hash == off->hash ? row->hash.substr(0, 8) : tr("{}, others", row->hash.substr(0, 8))}});
    }
  }
  return or_nothing(table, kNothingYet);
}

Value times(const FigureInput& input) {
  const auto on = ns_of(input.trace.find(kTimes), kOn), off = ns_of(input.trace.find(kTimes), kOff);
  Lines lines{{tr("round")}, {tr("step with checkpointing, in steps without"), "", false, 1.0}, {}};
  Line line{tr("CPU time"), Ink::kActivations, Stroke::kDots, {}};
  for (size_t i = 0; i < std::min(on.size(), off.size()); ++i)
    line.points.push_back({static_cast<double>(i + 1), on[i] / off[i]});
  if (line.points.empty()) return Nothing{tr("No step has been timed.")};
  lines.lines = {line};
  lines.marks = {{"4/3", 4.0 / 3, false}};
  return lines;
}

std::string times_sentence(const FigureInput& input) {
  const auto ratio = time_ratio(input.trace);
  return ratio ? tr("A step takes {} times the CPU time; the passes alone would be 4/3.", to_text(*ratio))
               : "";
}

FigureSpec with_sentence(FigureSpec spec, SentenceFunction sentence) {
  spec.sentence = sentence;
  return spec;
}

}  // namespace

std::vector<FigureSpec> figures() {
  FigureSpec first =
      figure_of_run("curve", tr("What is kept while a step goes on"), memory, {"peak", "gathers", "compute"});
  first.section = stage_section(3, true);
  return with_tabs(
      {with_sentence(first, memory_sentence),
       with_sentence(figure_of_run("layers", tr("The peak over the number of layers"), over_layers, {"peak"}),
                     over_layers_sentence),
       figure_of_run("passes", tr("What a step does for one layer"), passes,
                     {"peak", "gathers", "compute", "bits"}),
       with_sentence(figure_of_run("times", tr("How much longer is a step?"), times, {"compute"}),
                     times_sentence)},
      {tr("curve"), tr("layers"), tr("gathers"), tr("time")});
}

std::vector<Readout> readouts(const FigureInput& input) {
  std::vector<Readout> list;
  for (const bool on : {false, true}) {
    const auto passes = passes_of(input.trace, stage_section(stage_of(input), on));
    if (!passes || input.is_open("peak")) continue;
    list.push_back({on ? tr("activations, checkpointing") : tr("activations, all kept"),
                    format_bytes(passes->activations)});
  }
  return list;
}

}  // namespace ringside::recompute_lesson
