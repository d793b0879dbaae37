// A seed is a scenario: workers, servers, copies, a rule of consistency, a network that loses, doubles and
// reorders, and what goes wrong. Each worker adds 1 to a key of its own in every range and iteration, so the
// values tell which pushes they hold. What must be true is looked at from outside:
//
//   every read     holds all that was acknowledged to its worker before, and is no staler than s
//   at the end     each worker's keys hold each of its pushes once
//   acknowledged   by one server in an epoch, and never by an earlier epoch after a later one
//   in time        the training ends, and no range is lost, where copies outnumber the faults
#pragma once

#include <map>
#include <string>

#include "ringside/parameter_server/simulated_cluster.h"

namespace ringside::testing {

enum class Trouble {
  kKills,       // as many servers as there are backups, at any message; and servers come and leave
  kPartitions,  // any nodes, for up to a second, one way or both; and servers come and leave
  kScheduler,   // the scheduler is killed and started again, and a server is killed
  kWorkers,     // workers are killed and others join
  kNoCopies     // k = 0, and a server is killed, or cut off until its ranges are given up
};

struct Chaos {
  uint64_t seed = 0;
  Trouble trouble = Trouble::kKills;
  bool prints = false;                           // every packet, to stdout
  ps::SimulatedCluster::MakeServer server = {};  // a planted bug
};

struct ChaosResult {
  std::string wrong;     // the first thing that is not true; empty: all is well
  std::string log_hash;  // of every event
  std::string scenario;  // in words
  std::vector<ps::RangeLoss> losses;
  int64_t reads = 0, acknowledged = 0, lost_pushes = 0, events = 0;
  int64_t moves = 0;  // epochs after the first, over all ranges
};

ChaosResult run_chaos(const Chaos& chaos);

// What to type to see it again: RINGSIDE_PS_SEED=17 RINGSIDE_PS_TROUBLE=0 parameter_server_test "replay"
std::string replay_command(const Chaos& chaos);

}  // namespace ringside::testing
