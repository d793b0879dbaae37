// Any number of sides timed in turns: round 0 goes from the first to the last, round 1 back, and so on. What
// else the machine does then falls on all of them (ratio.h says what follows from the times).
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

namespace ringside::inline base {

using SideMs = std::function<double()>;             // takes a turn and gives its ms
using RoundsMs = std::vector<std::vector<double>>;  // (sides, rounds)

// Adds each round to `ms` once all sides have taken their turn; what a side throws ends it there.
inline void take_turns(const std::vector<SideMs>& sides, int64_t rounds, RoundsMs& ms) {
  ms.resize(sides.size());
  for (int64_t round = 0; round < rounds; ++round) {
    std::vector<double> now(sides.size());
    for (size_t i = 0; i < sides.size(); ++i) {
      const size_t side = round % 2 == 0 ? i : sides.size() - 1 - i;
      now[side] = sides[side]();
    }
    for (size_t side = 0; side < sides.size(); ++side) ms[side].push_back(now[side]);
  }
}

}  // namespace ringside::inline base
