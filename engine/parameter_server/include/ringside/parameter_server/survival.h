// What is left when servers are killed, simulated: two workers push, some servers die at once, and pushes
// that were acknowledged are looked for in the values. Each worker adds 1 to keys of its own in every
// iteration, so the values tell which pushes they hold.
#pragma once

#include "ringside/parameter_server/simulated_cluster.h"

namespace ringside::inline ps {

struct Survival {
  int64_t acknowledged = 0;  // pushes
  int64_t lost = 0;          // of them, that the values do not hold
  int64_t twice = 0;         // pushes that they hold once too often
  double seconds = 0;        // simulated, until somebody read each range whose owner died
};
// Of servers 1 to `servers`, those in `killed` die; each range has `backups` copies beside its owner's.
Survival kill_servers(uint32_t servers, uint32_t backups, const std::vector<NodeId>& killed, uint64_t seed);

}  // namespace ringside::inline ps
