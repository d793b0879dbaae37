// What `ringside bench collectives` times: the ways in which ranks that are threads of this process can be
// connected, and the machine's own limits for as many bytes.
//
//   threads     the engine's: a rank copies out of the others' buffers
//   sockets     the engine's over Unix sockets: each rank has connections of its own, as a process has
//   gloo        the engine's over Gloo, likewise
//   gloo_ring, gloo_bcube, gloo_halving_doubling    Gloo's own call, without the engine
//   copy        each rank copies the bytes that the bus bandwidth counts: the limit of threads
//   loopback    each rank writes them to the next over TCP, and reads as many: the limit of Gloo
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "ringside/comm/process_group.h"

namespace ringside {

struct CollectiveSide {
  std::string name;
  std::function<bool(const Collective&)> takes;                 // whether it carries such a call
  std::function<void(int rank, const Collective& call)> carry;  // on each rank's thread at once
};

// Connected for as long as they live. MissingError, or what the connection throws.
std::vector<CollectiveSide> connect_sides(int ranks);

// A limit: moves `bytes` a rank. Its members are more than the ranks where a rank writes and reads at once.
struct MachineLimit {
  std::string name;
  int members = 0;
  std::function<void(int member, int64_t bytes)> move;
};
std::vector<MachineLimit> machine_limits(int ranks, int64_t most_bytes);

}  // namespace ringside
