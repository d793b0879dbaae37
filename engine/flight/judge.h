// Whether the ranks that are in one call agree, and who is in the minority.
#pragma once

#include <vector>

#include "calls.h"
#include "ringside/flight/report.h"

namespace ringside::flight {

struct Judged {
  MatchState state = MatchState::kFullyMatched;  // or one of the three mismatches
  std::vector<int> disagreeing;                  // not of the most frequent kind; ascending
  int majority = -1;                             // a rank of that kind; the lowest, -1 where nobody is in it
  bool tie = false;                              // another kind is as frequent: the lowest rank's counted
};

// Of operation, sizes, root and element type. Sizes of an uneven all-to-all may differ.
Judged judge(const Call& call);
// Of what they carry: tag and unit. A rank that names neither says nothing. Fully matched or, for want of
// a word of PyTorch's, undecided.
Judged judge_contents(const Call& call);

}  // namespace ringside::flight
