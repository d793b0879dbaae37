// Facts of a section that trains, as they were counted: what was sent, kept, held at most. None of them comes
// from a formula but the width of an element.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "ringside/lesson/figure.h"

namespace ringside::figure {

struct KeptState {  // bytes
  double parameters = 0, gradients = 0, optimizer = 0;
  double total() const { return parameters + gradients + optimizer; }
  double& of(Category category) {
    return category == Category::kParameters  ? parameters
           : category == Category::kGradients ? gradients
                                              : optimizer;
  }
};

// Gradients and parameters only: bytes that one rank sent in one step, mean over ranks.
double sent_bytes(const Trace& trace, const SectionView& section);
// As far as the section has come: sent by rank 0 in the steps that have ended, in Ψ a step; its state after
// the last of them. None before a step has ended, and in a section that trains nothing.
std::optional<double> sent_a_step(const Trace& trace, const SectionView& section);
std::optional<KeptState> state_after_step(const Trace& trace, const SectionView& section);
// The same at rank 0's last note of this name (ledger.h); none before.
std::optional<KeptState> state_at(const Trace& trace, const SectionView& section, std::string_view note);
int64_t peak_bytes(const Trace& trace, const SectionView& section);  // highest of all ranks

std::vector<double> scalar_series(const Trace& trace, const SectionView& section, const std::string& name);

}  // namespace ringside::figure
