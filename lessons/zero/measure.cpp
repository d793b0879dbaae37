#include "measure.h"

#include <algorithm>

#include "lesson.h"
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
    for (const Category category : kStateKinds)
      if (row.category == to_string(category)) state.of(category) += static_cast<double>(row.counted) / ranks;
  }
  return state;
}

double sent_psi(const Trace& trace, const SectionView& section) {
  return figure::sent_bytes(trace, section) / static_cast<double>(element_bytes(section)) / psi(section);
}

std::optional<std::array<double, 4>> sent_times(const Trace& trace, const std::string& reduce,
                                                int64_t accumulate) {
  std::array<double, 4> times{};
  for (int stage = 0; stage <= 3; ++stage) {
    const SectionView* section = find_run(trace, stage, reduce, accumulate);
    if (section == nullptr || data_ranks(*section) == 1) return std::nullopt;
    const double share = (data_ranks(*section) - 1.0) / data_ranks(*section);
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

std::optional<Proof> proof_of(const Trace& trace) {
  const SectionView* equal = trace.find(kProofSection);
  if (equal == nullptr || !equal->has("steps")) return std::nullopt;
  Proof proof{rows_as<ProofCase>(*equal), {}, equal->integer("steps")};
  if (const SectionView* order = trace.find(kOrderSection)) proof.order_differs = rows_as<ProofCase>(*order);
  if (proof.equal_expected.empty()) return std::nullopt;  // a file from before there were rows
  return proof;
}

namespace {

// A figure of the section watched, once a step of it has ended.
using Measured = std::optional<double> (*)(const Trace&, const SectionView&);
auto after_step(Measured value) {
  return [value](const FigureInput& input) {
    const bool trained = input.section != nullptr && figure::state_after_step(input.trace, *input.section);
    return trained ? value(input.trace, *input.section) : std::nullopt;
  };
}

std::optional<double> peak(const Trace& trace, const SectionView& section) {
  return static_cast<double>(figure::peak_bytes(trace, section)) / kMib;
}
std::optional<double> state(const Trace& trace, const SectionView& section) {
  return figure::state_after_step(trace, section)->total() / kMib;
}

}  // namespace

std::vector<GaugeOf> gauges() {
  return {
      {"sent", after_step(figure::sent_a_step)}, {"peak", after_step(peak)}, {"state", after_step(state)}};
}

}  // namespace ringside::zero_lesson
