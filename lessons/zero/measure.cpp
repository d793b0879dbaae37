#include "measure.h"

#include <algorithm>

#include "ringside/ledger/ledger.h"

namespace ringside::zero_lesson {

const SectionView* find_run(const Trace& trace, int stage, const std::string& reduce, int64_t accumulate) {
  for (const SectionView& section : trace.sections()) {
    const auto part = part_of(section);
    if (part != Part::kStage && part != Part::kProbe) continue;
    if (!section.has("steps")) continue;  // it did not reach its end
    const bool reduces_so = section.text("reduce") == reduce || stage == 0 || stage == 3;
    if (section.integer("stage") == stage && reduces_so && !(stage == 3 && keeps_gathered(section)) &&
        section.integer("accumulate") == accumulate) {
      return &section;
    }
  }
  return nullptr;
}

const SectionView* stage_section(const Trace& trace, int stage) {
  const SectionView* section = trace.find(stage_name(stage));
  return section != nullptr && section->has("steps") ? section : nullptr;
}

const SectionView* longest_training(const Trace& trace, int stage) {
  const SectionView* whole = trace.find(training_name(stage));
  return whole != nullptr ? whole : trace.find(stage_name(stage));
}

State state_of(const Trace& trace, const SectionView& section) {
  State state;
  const double ranks = section.ranks();
  for (const LedgerRow& row : count_rows(trace, section)) {
    if (row.what != "memory" || row.at != kAfterStep) continue;
    const double bytes = static_cast<double>(row.counted) / ranks;
    if (row.category == "parameters") state.parameters += bytes;
    if (row.category == "gradients") state.gradients += bytes;
    if (row.category == "optimizer") state.optimizer += bytes;
  }
  return state;
}

double sent_bytes(const Trace& trace, const SectionView& section) {
  int64_t bytes = 0;
  for (int rank = 0; rank < section.ranks(); ++rank) {
    for (const CollectiveEvent& event : section.collectives(rank)) {
      if (event.state != CollectiveState::kCompleted) continue;
      const std::string& tag = trace.name(event.tag);
      if (tag == "gradients" || tag == "parameters") bytes += event.bytes_sent;
    }
  }
  return static_cast<double>(bytes) / section.ranks() / std::max(1.0, section.number("steps"));
}

double sent_psi(const Trace& trace, const SectionView& section) {
  return sent_bytes(trace, section) / static_cast<double>(element_bytes(section)) / psi(section);
}

std::optional<std::array<double, 4>> sent_times(const Trace& trace, const std::string& reduce,
                                                int64_t accumulate) {
  std::array<double, 4> times{};
  for (int stage = 0; stage <= 3; ++stage) {
    const SectionView* section = find_run(trace, stage, reduce, accumulate);
    if (section == nullptr || section->ranks() == 1) return std::nullopt;
    const double share = (section->ranks() - 1.0) / section->ranks();
    times[static_cast<size_t>(stage)] = sent_psi(trace, *section) / share;
  }
  return times;
}

int64_t most_accumulation(const Trace& trace) {
  int64_t most = 1;
  for (const SectionView& section : trace.sections()) {
    if (section.has("accumulate")) most = std::max(most, section.integer("accumulate"));
  }
  return most;
}

std::optional<double> sent_a_step(const Trace& trace, const SectionView& section) {
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
    if (tag == "gradients" || tag == "parameters") bytes += static_cast<double>(event.bytes_sent);
  }
  return bytes / static_cast<double>(steps) / static_cast<double>(element_bytes(section)) / psi(section);
}

std::optional<double> state_bytes(const Trace& trace, const SectionView& section) {
  const auto notes = section.notes(0);
  size_t last = notes.size();
  while (last > 0 && trace.name(notes[last - 1].name) != kAfterStep) --last;
  if (last == 0) return std::nullopt;
  const int64_t at_ns = notes[last - 1].time_ns;
  double bytes = 0;
  for (const Category category : kStateKinds) {
    const auto events = section.memory(0, category);
    size_t after = events.size();
    while (after > 0 && events[after - 1].time_ns > at_ns) --after;
    if (after > 0) bytes += static_cast<double>(events[after - 1].live_bytes);
  }
  return bytes;
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
  for (const ScalarEvent& event : section.scalars(0)) {
    if (trace.name(event.name) == name) values.push_back(event.value);
  }
  return values;
}

std::optional<Proof> proof_of(const Trace& trace) {
  const SectionView* equal = trace.find(kProofSection);
  if (equal == nullptr || !equal->has("steps")) return std::nullopt;
  Proof proof{rows_as<ProofCase>(*equal), {}, equal->integer("steps")};
  if (const SectionView* order = trace.find(kOrderSection)) proof.order_differs = rows_as<ProofCase>(*order);
  if (proof.equal_expected.empty()) return std::nullopt;  // a file from before there were rows
  return proof;
}

}  // namespace ringside::zero_lesson
