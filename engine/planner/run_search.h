// The search behind explain.h in one order of gradients. Its time is linear in their number, but for the
// logarithm of a binary search: sums of neighbours are differences of prefix sums, and for a head of free
// size the rest is one division.
#pragma once

#include <vector>

#include "ringside/planner/explain.h"

namespace ringside {

// Adds the hits and the families of this order. `body`: all gradients but the head's, which is (C, hidden).
void search_runs(GradientOrder order, const std::vector<Gradient>& body, int64_t hidden,
                 const ExplainOptions& options, Explanation& result);

}  // namespace ringside
