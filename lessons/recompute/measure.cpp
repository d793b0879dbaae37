// Figures of the recorded trainings, each read from the trace.
#include "ringside/trace/measure.h"
#include "parts.h"
#include "ringside/ledger/ledger.h"
#include "ringside/trace/training_rows.h"

namespace ringside::lessons::recompute {
namespace {

constexpr char kLayer[] = "layer 0";  // all layers are alike

double peak_total(const SectionView& section) {
  int64_t peak = 0;
  for (const Category category : kCategories)
    for (const MemoryEvent& event : section.memory(0, category)) peak = std::max(peak, event.total_bytes);
  return double(peak);
}

// What a layer hands to the next one, as the allocator saw it.
double bytes_of_input(const Trace& trace, const SectionView& section) {
  for (const MemoryEvent& event : section.memory(0, Category::kActivations))
    if (event.delta_bytes > 0 && trace.name(event.tensor) == "hidden states")
      return double(event.delta_bytes);
  return 0;
}

// Behind it the parameters are collected once more, to be hashed.
int64_t end_of_steps(const Trace& trace, const SectionView& section) {
  int64_t end = 0;
  for (const NoteEvent& note : section.notes(0))
    if (trace.name(note.name) == kAfterStep) end = note.time_ns;
  return end;
}

std::optional<Passes> passes_of(const Trace& trace, const std::string& name) {
  const SectionView* section = trace.find(name);
  if (section == nullptr || !section->has(kHash) || section->ranks() == 0) return std::nullopt;
  const auto steps = section->number("steps");
  Passes passes;
  for (const SpanEvent& span : section->spans(0)) {
    if (trace.name(span.unit) != kLayer) continue;
    const std::string& what = trace.name(span.name);
    (what == "forward" ? passes.forward : what == "recompute" ? passes.again : passes.backward) += 1 / steps;
  }
  for (const RowEvent& event : section->rows(0))
    if (const auto row = row_as<UnitGather>(event))
      if (row->unit == kLayer && !row->dropped && event.time_ns <= end_of_steps(trace, *section))
        passes.gathers += 1 / steps;
  for (const char* tag : {"gradients", "parameters"})
    for (const CollectiveEvent& call : completed_calls(trace, *section, tag))
      passes.sent += double(call.bytes_sent) / steps;
  passes.activations = double(peak_bytes(*section, Category::kActivations));
  passes.total = peak_total(*section);
  passes.hash = section->text(kHash);
  return passes;
}

}  // namespace

std::string stage_section(int64_t stage, bool on) { return tr("stage {}, {}", stage, on ? kOn : kOff); }
std::string sweep_section(int64_t layers, bool on) { return tr("{} layers, {}", layers, on ? kOn : kOff); }

std::optional<Pair> pair_of(const Trace& trace, int64_t stage) {
  const auto off = passes_of(trace, stage_section(stage, false)),
             on = passes_of(trace, stage_section(stage, true));
  return off && on ? std::optional(Pair{*off, *on}) : std::nullopt;
}

Peaks peaks_of(const Trace& trace) {
  Peaks peaks;
  for (const SectionView& section : trace.sections()) {
    if (!section.has(kSweepLayers) || !section.has(kHash)) continue;
    const int64_t layers = section.integer(kSweepLayers);
    if (section.name() == sweep_section(layers, false)) {
      peaks.layers.push_back(layers);
      peaks.off.push_back(double(peak_bytes(section, Category::kActivations)));
      peaks.input = bytes_of_input(trace, section);
    } else {
      peaks.on.push_back(double(peak_bytes(section, Category::kActivations)));
    }
  }
  const size_t n = peaks.on.size();
  if (n < 2 || peaks.off.size() != n) throw NotRun();
  peaks.layer = (peaks.off[n - 1] - peaks.off[0]) / double(peaks.layers[n - 1] - peaks.layers[0]);
  peaks.rest = peaks.off[0] - peaks.layer * double(peaks.layers[0]);
  return peaks;
}

}  // namespace ringside::lessons::recompute
