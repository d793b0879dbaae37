// Incidents to practise with. Generated ones: a small job in which one thing goes wrong, and the log that a
// cluster would leave of it, in the dialects of several launchers and versions of PyTorch. Public ones: lines
// that people posted, with what their thread found.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "ringside/autopsy/diagnosis.h"

namespace ringside::inline kit {

struct Incident {
  std::string log;
  std::vector<Cause> causes;  // each is a right answer; of a public one none where its end is not known
  int rank = -1;              // whose fault it is; -1: nobody's, or not known
  int ranks = 0;              // of the job; 0: not known
  std::string version;        // of PyTorch, whose form the lines have; "": not known
  std::string answer;         // "rank 3 skipped #41, ALLREDUCE of 1,024 elements"
  std::string link;           // the public thread; "": generated

  bool is(Cause cause) const { return std::ranges::count(causes, cause) > 0; }
};

inline constexpr int kHardestIncident = 4;
// The same for the same seed and level, 1 to kHardestIncident: more ranks, more lines that mean nothing, more
// consequences, which may stand before their cause. One cause, of every kind but kPeerLost and kNothing; the
// level does not tell which.
Incident make_incident(uint64_t seed, int level);

// Of assets/incidents/threads.txt, whose first lines say how it is written. InputError naming the line.
std::vector<Incident> public_incidents(std::string_view text);

}  // namespace ringside::inline kit
