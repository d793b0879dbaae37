// Any number of sides timed in turns: round 0 goes from the first to the last, round 1 back, and so on. What
// else the machine does then falls on all of them (base/ratio.h says what follows from the times).
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace ringside {

struct TurnsOptions {
  int64_t rounds = 11, warm_up = 1;  // of every side; the warm-up is not counted
  std::function<bool()> stop;        // asked before each turn
  std::function<void()> after_turn;
};

struct Turns {
  std::vector<std::vector<double>> ms;  // of each side, of each round that was finished
  bool complete = false;                // false: `stop` said so
};

Turns take_turns(const std::vector<std::function<void()>>& sides, const TurnsOptions& options);

}  // namespace ringside
