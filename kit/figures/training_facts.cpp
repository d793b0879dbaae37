#include "ringside/figures/training_facts.h"

#include <algorithm>

#include "ringside/figures/section_index.h"

namespace ringside::figure {
namespace {

constexpr std::string_view kStepEnded = "after step";  // the note that a rank writes then: ledger.h

}  // namespace

double sent_bytes(const Trace& trace, const SectionView& section) {
  int64_t bytes = 0;
  for (int rank = 0; rank < section.ranks(); ++rank) {
    for (const CollectiveEvent& event : section.collectives(rank)) {
      if (event.state != CollectiveState::kCompleted) continue;
      const std::string& tag = trace.name(event.tag);
      if (tag == "gradients" || tag == "parameters") bytes += event.bytes_sent;
    }
  }
  return double(bytes) / section.ranks() / std::max(1.0, section.number("steps"));
}

std::optional<double> sent_a_step(const Trace& trace, const SectionView& section) {
  if (section.ranks() == 0 || !section.has("parameters")) return std::nullopt;
  int64_t first_ns = 0, last_ns = 0, steps = 0;
  for (const SpanEvent& span : section.spans(0)) {
    if (trace.name(span.name) != "step") continue;
    if (steps++ == 0) first_ns = span.start_ns;
    last_ns = span.end_ns;
  }
  if (steps == 0) return std::nullopt;
  double bytes = 0;
  for (const CollectiveEvent& event : section.collectives(0)) {
    if (event.state != CollectiveState::kCompleted || event.bytes_sent == 0) continue;
    if (event.time_completed_ns < first_ns || event.time_completed_ns > last_ns) continue;
    const std::string& tag = trace.name(event.tag);
    if (tag == "gradients" || tag == "parameters") bytes += double(event.bytes_sent);
  }
  return bytes / double(steps) / bytes_per_element(section) / psi_of(section);
}

std::optional<KeptState> state_after_step(const Trace& trace, const SectionView& section) {
  return state_at(trace, section, kStepEnded);
}

std::optional<KeptState> state_at(const Trace& trace, const SectionView& section, std::string_view note) {
  if (section.ranks() == 0 || !section.has("parameters")) return std::nullopt;
  const auto notes = section.notes(0);
  size_t last = notes.size();
  while (last > 0 && trace.name(notes[last - 1].name) != note) --last;
  if (last == 0) return std::nullopt;
  KeptState state;
  for (const Category category : kStateKinds)
    state.of(category) = double(live_at(section, 0, category, notes[last - 1].time_ns));
  return state;
}

int64_t peak_bytes(const Trace& trace, const SectionView& section) {
  int64_t peak = 0;
  for (int rank = 0; rank < section.ranks(); ++rank) {
    for (const Category category : kCategories) {
      for (const MemoryEvent& event : section.memory(rank, category))
        peak = std::max(peak, event.total_bytes);
    }
  }
  return peak;
}

std::vector<double> scalar_series(const Trace& trace, const SectionView& section, const std::string& name) {
  std::vector<double> values;
  for (const ScalarEvent& event : section.scalars(0))
    if (trace.name(event.name) == name) values.push_back(event.value);
  return values;
}

}  // namespace ringside::figure
