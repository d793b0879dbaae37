// Two scenarios' steps in turns: A B, B A, A B, ... (base/ratio.h says what follows from the times).
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "ringside/lesson/lesson.h"

namespace ringside::inline kit {

struct StepBenchOptions {
  std::optional<int64_t>
      rounds;           // none: what fits into half a minute, by the last steps of the warm-up; 6 to 60
  int64_t steps = 1;    // of either, in a round
  int64_t warm_up = 2;  // steps of either that are not counted, 1 or more
};

struct StepBench {
  std::vector<double> a_ms, b_ms;  // of each round: the mean of its steps
  bool complete = false;           // false: `stop` said so; whole rounds only are kept
};

// `stop` is asked before each step. Progress counts steps, once the number of rounds is known.
StepBench bench_steps(const StepTimer& a, const StepTimer& b, const StepBenchOptions& options,
                      const std::function<bool()>& stop,
                      const std::function<void(const Progress&)>& progress);

}  // namespace ringside::inline kit
