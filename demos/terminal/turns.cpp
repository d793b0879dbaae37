#include "turns.h"

#include "ringside/base/clock.h"

namespace ringside {
namespace {

double timed_ms(const std::function<void()>& side) {
  const int64_t start = now_ns();
  side();
  return static_cast<double>(now_ns() - start) * 1e-6;
}

}  // namespace

Turns take_turns(const std::vector<std::function<void()>>& sides, const TurnsOptions& options) {
  Turns turns;
  turns.ms.resize(sides.size());
  for (int64_t round = -options.warm_up; round < options.rounds; ++round) {
    std::vector<double> ms(sides.size());
    for (size_t i = 0; i < sides.size(); ++i) {
      if (options.stop()) return turns;
      const size_t side = round % 2 == 0 ? i : sides.size() - 1 - i;
      ms[side] = timed_ms(sides[side]);
      options.after_turn();
    }
    if (round < 0) continue;
    for (size_t side = 0; side < sides.size(); ++side) turns.ms[side].push_back(ms[side]);
  }
  turns.complete = true;
  return turns;
}

}  // namespace ringside
