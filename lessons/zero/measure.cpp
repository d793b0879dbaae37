
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

std::string in_steps(const SectionView& section) {
  const int64_t steps = section.integer("steps");
  return steps == 1 ? tr("1 step") : tr("{} steps", steps);
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
      if (row.category == to_string(category)) state.of(category) += double(row.counted) / ranks;
  }
  return state;
}

double sent_psi(const Trace& trace, const SectionView& section) {
  return figure::sent_bytes(trace, section) / double(element_bytes(section)) / psi(section);
}

const SectionView& of_several_ranks(const SectionView* section) {
  if (data_ranks(needed(section)) == 1) throw NotRun{"one rank has nothing to shard or send; try ranks=4"};
  return *section;
}

std::array<double, 4> sent_times(const Trace& trace, const std::string& reduce, int64_t accumulate) {
  std::array<double, 4> times{};
  for (int stage = 0; stage <= 3; ++stage) {
    const SectionView& section = of_several_ranks(find_run(trace, stage, reduce, accumulate));
    const double share = (data_ranks(section) - 1.0) / data_ranks(section);
    times[size_t(stage)] = sent_psi(trace, section) / share;
  }
  return times;
}

int64_t most_accumulation(const Trace& trace) {
  int64_t most = 1;
  for (const SectionView& section : trace.sections())
    if (section.has("accumulate")) most = std::max(most, section.integer("accumulate"));
  return most;
}

int64_t several_micro_batches(const Trace& trace) {
  const int64_t most = most_accumulation(trace);
  return most == 1 ? throw NotRun() : most;
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

// Of the section watched, once a step of it has ended.
State state_at(const FigureInput& input) {
  return needed(figure::state_after_step(input.trace, needed(input.section)));
}

double sent(const FigureInput& input) {
  state_at(input);
  return needed(figure::sent_a_step(input.trace, *input.section));
}
double peak(const FigureInput& input) {
  state_at(input);
  return double(figure::peak_bytes(input.trace, *input.section)) / kMib;
}
double state(const FigureInput& input) { return state_at(input).total() / kMib; }

}  // namespace

std::vector<GaugeOf> gauges() { return {{"sent", sent}, {"peak", peak}, {"state", state}}; }

}  // namespace ringside::zero_lesson
