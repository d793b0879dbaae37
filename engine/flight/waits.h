// Who waits for whom, over all groups: each stuck call is a node, and an edge leads to the calls in which
// the ranks that it misses wait themselves.
#pragma once

#include <vector>

#include "calls.h"
#include "ringside/flight/report.h"

namespace ringside::flight {

// The shortest cycle among the first 500 of `heads`; empty where there is none.
std::vector<Wait> find_cycle(const Calls& calls, const std::vector<const Call*>& heads);

// Of `ranks`, those in `others`, or those not in it; both ascending.
std::vector<int> common(const std::vector<int>& ranks, const std::vector<int>& others);
std::vector<int> without(const std::vector<int>& ranks, const std::vector<int>& others);

}  // namespace ringside::flight
