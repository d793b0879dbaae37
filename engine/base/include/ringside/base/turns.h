// Any number of sides timed in turns: round 0 goes from the first to the last, round 1 back, and so on. What
// else the machine does then falls on all of them (ratio.h says what follows from the times).
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

namespace ringside {

using SideMs = std::function<double()>;             // takes a turn and gives its ms
using RoundsMs = std::vector<std::vector<double>>;  // (sides, rounds)

// Adds each round to `ms` once all sides have taken their turn; what a side throws ends it there.
void take_turns(const std::vector<SideMs>& sides, int64_t rounds, RoundsMs& ms);

}  // namespace ringside
