// Where each rank was last, as the lines tell: a picture of a job that stopped, without a word on why.
#pragma once

#include <string>
#include <vector>

#include "ringside/autopsy/log.h"

namespace ringside::inline kit {

struct RankPlace {
  std::string where;  // "timed out in #41 ALLREDUCE of 1,024 elements", "raised KeyError: 'label'"
  std::vector<int> ranks;
};

// Ranks that tell the same stand together; the most first. Those below Log::world have one, lines or none.
std::vector<RankPlace> places_of(const Log& log);

// A row a place, a column a rank: "██·█  timed out in #41 ALLREDUCE of 1,024 elements: 3 ranks". Where the
// job has more ranks than there are columns, the ranks as words.
std::string places_text(const Log& log, size_t columns);

}  // namespace ringside::inline kit
