#include "ringside/session/step_bench.h"

#include <algorithm>
#include <cmath>

#include "ringside/base/check.h"
#include "ringside/base/error.h"
#include "ringside/base/ratio.h"
#include "ringside/base/turns.h"

namespace ringside::inline kit {
namespace {

constexpr double kBudgetMs = 30'000;
constexpr int64_t kMostRounds = 60;

int64_t rounds_that_fit(double round_ms) {
  return int64_t(std::clamp(std::floor(kBudgetMs / round_ms), double(kLeastRounds), double(kMostRounds)));
}

}  // namespace

StepBench bench_steps(const StepTimer& a, const StepTimer& b, const StepBenchOptions& options,
                      const std::function<bool()>& stop,
                      const std::function<void(const Progress&)>& progress) {
  RINGSIDE_CHECK_GE(options.steps, 1);
  RINGSIDE_CHECK_GE(options.warm_up, 1);
  int64_t done = 0, total = 0;
  const auto step = [&](const StepTimer& side) {
    if (stop()) throw CancelledError();
    const double ms = side.step_ms();
    ++done;
    if (total > 0) progress({"steps in turns", done, total});
    return ms;
  };
  const auto turn_of = [&](const StepTimer& side) -> SideMs {
    return [&] {
      double sum = 0;
      for (int64_t i = 0; i < options.steps; ++i) sum += step(side);
      return sum / double(options.steps);
    };
  };
  RoundsMs ms(2);
  try {
    double round_ms = 0;  // by the last step of either
    for (const StepTimer* side : {&a, &b}) {
      double last = 0;
      for (int64_t i = 0; i < options.warm_up; ++i) last = step(*side);
      round_ms += last * double(options.steps);
    }
    const int64_t rounds = options.rounds.value_or(rounds_that_fit(round_ms));
    total = 2 * (options.warm_up + rounds * options.steps);
    take_turns({turn_of(a), turn_of(b)}, rounds, ms);
    return {ms[0], ms[1], true};
  } catch (const CancelledError&) {
    return {ms[0], ms[1], false};
  }
}

}  // namespace ringside::inline kit
