#include "ringside/session/step_bench.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "ringside/base/check.h"
#include "ringside/base/ratio.h"

namespace ringside {
namespace {

constexpr double kBudgetMs = 30'000;
constexpr int64_t kMostRounds = 60;

struct Stopped {};

class Bench {
 public:
  Bench(const StepTimer& a, const StepTimer& b, const StepBenchOptions& options,
        const std::function<bool()>& stop, const std::function<void(const Progress&)>& progress)
      : sides_{&a, &b}, options_(options), stop_(stop), progress_(progress) {}

  StepBench run() {
    StepBench bench;
    try {
      const int64_t rounds = warm_up();
      for (int64_t round = 0; round < rounds; ++round) {
        std::array<double, 2> ms{};
        const size_t first = static_cast<size_t>(round % 2);
        for (const size_t side : {first, 1 - first}) ms[side] = mean_step(side);
        bench.a_ms.push_back(ms[0]);
        bench.b_ms.push_back(ms[1]);
      }
      bench.complete = true;
    } catch (const Stopped&) {
      // What it has so far.
    }
    return bench;
  }

 private:
  int64_t warm_up() {
    double round_ms = 0;  // by the last step of either
    for (size_t side = 0; side < 2; ++side) {
      double ms = 0;
      for (int64_t i = 0; i < options_.warm_up; ++i) ms = step(side);
      round_ms += ms * static_cast<double>(options_.steps);
    }
    const double fit = std::clamp(std::floor(kBudgetMs / round_ms), static_cast<double>(kLeastRounds),
                                  static_cast<double>(kMostRounds));
    const int64_t rounds = options_.rounds.value_or(static_cast<int64_t>(fit));
    total_ = 2 * (options_.warm_up + rounds * options_.steps);
    return rounds;
  }

  double mean_step(size_t side) {
    double sum = 0;
    for (int64_t i = 0; i < options_.steps; ++i) sum += step(side);
    return sum / static_cast<double>(options_.steps);
  }

  double step(size_t side) {
    if (stop_()) throw Stopped();
    const double ms = sides_[side]->step_ms();
    ++done_;
    if (total_ > 0) progress_({"steps in turns", done_, total_});
    return ms;
  }

  const std::array<const StepTimer*, 2> sides_;
  const StepBenchOptions& options_;
  const std::function<bool()>& stop_;
  const std::function<void(const Progress&)>& progress_;
  int64_t done_ = 0, total_ = 0;
};

}  // namespace

StepBench bench_steps(const StepTimer& a, const StepTimer& b, const StepBenchOptions& options,
                      const std::function<bool()>& stop,
                      const std::function<void(const Progress&)>& progress) {
  RINGSIDE_CHECK_GE(options.steps, 1);
  RINGSIDE_CHECK_GE(options.warm_up, 1);
  return Bench(a, b, options, stop, progress).run();
}

}  // namespace ringside
