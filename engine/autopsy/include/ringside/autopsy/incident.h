// Incidents to practise with: a small job in which one thing goes wrong, and the log that a cluster would
// leave of it, in the dialects of several launchers and versions of PyTorch.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "ringside/autopsy/diagnosis.h"
#include "ringside/flight/dump.h"

namespace ringside {

struct Incident {
  std::string log;
  Cause cause = Cause::kNothing;
  int rank = -1;  // whose fault it is; -1: nobody's
  int ranks = 0;
  std::string version;  // of PyTorch, whose form the lines have
  std::string answer;   // "rank 3 skipped #41, ALLREDUCE of 1,024 elements"
};

// The same for the same seed. kCause of every kind but kPeerLost and kNothing.
Incident make_incident(uint64_t seed);

}  // namespace ringside
