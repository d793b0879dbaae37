#include "ringside/planner/sequence.h"

namespace ringside::inline planner {

std::vector<SequenceFit> fit_sequence(int64_t number, const SequenceRules& rules) {
  std::vector<SequenceFit> fits;
  const int64_t before = number - 1 - rules.broadcasts;
  if (before < 0) return fits;
  for (const int64_t accumulate : {1, 2, 4, 8, 16}) {
    const int64_t calls = rules.calls_of_step(accumulate);
    fits.push_back({accumulate, calls, before / calls, before % calls});
  }
  return fits;
}

}  // namespace ringside::inline planner
