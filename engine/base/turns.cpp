#include "ringside/base/turns.h"

namespace ringside {

void take_turns(const std::vector<SideMs>& sides, int64_t rounds, RoundsMs& ms) {
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

}  // namespace ringside
