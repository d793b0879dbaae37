// Ranks as threads of one process. Each rank has its own communication thread;
// collectives meet at a rendezvous (a condition variable with a deadline), check
// their fingerprints there, and copy straight out of each other's buffers.
//
// algorithm=direct (default): rank r reads chunk r of every peer, in rank order
// 0 .. N-1, and adds in fp32, rounding once; then gathers. Results do not depend
// on timing. algorithm=ring: the step-by-step ring of collectives/ring.h, which
// is deterministic too but adds in another order.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "ringside/comm/link_model.h"
#include "ringside/comm/process_group.h"
#include "ringside/trace/trace.h"

namespace ringside {

struct ThreadGroupOptions {
  std::string name = "dp";
  std::chrono::nanoseconds timeout = std::chrono::seconds(60);
  bool check = true;   // compare fingerprints before data moves; off: silence, then the deadline
  LinkModel link;
  std::vector<Recorder*> recorders;  // one a rank, or empty: nothing is recorded
};

// One handle a rank, in rank order. Destroying the last one ends the threads.
std::vector<std::unique_ptr<ProcessGroup>> make_thread_group(int size, const ThreadGroupOptions& options);

}  // namespace ringside
