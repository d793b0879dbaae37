// The search behind explain.h in one order of gradients. Its time is linear in their number, but for the
// logarithm of a binary search: sums of neighbours are differences of prefix sums, and for a head of free
// size the rest is one division.
#pragma once

#include <vector>

#include "ringside/planner/explain.h"

namespace ringside {

// A classification head whose size is searched for: weight (C, H), perhaps with a bias (C). It comes first
// in backward order (bias, weight) and last in parameter order (weight, bias).
struct FreeHead {
  int64_t hidden = 0;
  int64_t least_classes = 1, most_classes = kMostClasses;
  std::vector<bool> biases;  // settings to try; empty: there is no such head
};

// Adds the hits and the families of this order. `body`: all gradients but the head's.
void search_runs(GradientOrder order, const std::vector<Gradient>& body, const FreeHead& head,
                 Explanation& result);

}  // namespace ringside
