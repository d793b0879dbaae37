// What claims, predictions and the summary read out of a trace. Nothing here comes
// from a formula but the width of an element.
#pragma once

#include <array>
#include <optional>

#include "attributes.h"
#include "ringside/figures/training_facts.h"
#include "ringside/trace/trace.h"

namespace ringside::zero_lesson {

inline constexpr double kMib = 1 << 20;  // bytes

// The training section with this stage, reduction and accumulation, in stage 3 with reshard on; null
// where there is none. Sections of the overlap trial do not count.
const SectionView* find_run(const Trace& trace, int stage, const std::string& reduce, int64_t accumulate);
const SectionView* stage_section(const Trace& trace, int stage);  // its first steps, once they have ended
// As far as that stage was trained: to the scenario's end, or its first steps. It may go on. Null before it
// began.
const SectionView* longest_training(const Trace& trace, int stage);

using State = figure::KeptState;
State state_of(const Trace& trace, const SectionView& section);  // mean over ranks, after the last step

// Gradients and parameters only: what one rank sent in one step, mean over ranks, in multiples of Ψ elements.
double sent_psi(const Trace& trace, const SectionView& section);
// Of stages 0 to 3, in Ψ(N-1)/N elements, with that reduction in stages 1 and 2; none where one was not run,
// or one rank is alone.
std::optional<std::array<double, 4>> sent_times(const Trace& trace, const std::string& reduce,
                                                int64_t accumulate);
int64_t most_accumulation(const Trace& trace);  // that any section ran with
struct Proof {
  std::vector<ProofCase> equal_expected;  // accumulation 1, and pairs that share an order of sums
  std::vector<ProofCase> order_differs;   // pairs that do not: shown with their reason
  int64_t steps = 0;
};
std::optional<Proof> proof_of(const Trace& trace);

// The same stage with overlap and without, in turns.
inline constexpr const char* kOverlapOn = "overlap on";
inline constexpr const char* kOverlapOff = "overlap off";

}  // namespace ringside::zero_lesson
