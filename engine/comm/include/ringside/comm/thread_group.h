// Ranks as threads of one process. Each rank has one communication thread
// ("rank3.comm") that takes its collectives first in, first out. A collective
// meets its peers at a rendezvous (a condition variable with a deadline), has
// its fingerprint checked there, and copies straight out of their buffers.
//
// All-reduce is direct, in rank order: rank r reads its chunk of every peer's
// buffer, 0 .. N-1, adds in fp32 and rounds once; then it reads the other chunks
// from their owners. Chunk r of n elements: [r n / N, (r+1) n / N).
// Results do not depend on timing. The ring, in collectives/ring.h, is
// deterministic too but adds in another order.
//
// Sends and receives are matched first in, first out per pair of ranks, and
// apart from the collectives: neither waits for the other in a queue. A send
// publishes its buffer and completes when its peer has copied it.
//
// A collective that cannot complete (a rank is late, gone, stopped inside, or calls
// something else) breaks the group: it and every later call fail on all ranks, with
// the first failure's type and ranks.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "ringside/comm/deadlines.h"
#include "ringside/comm/link_model.h"
#include "ringside/comm/process_group.h"
#include "ringside/comm/wait_graph.h"
#include "ringside/flight/recorder.h"
#include "ringside/trace/trace.h"

namespace ringside {

struct ThreadGroupOptions {
  std::string name = "dp";
  std::chrono::nanoseconds timeout = std::chrono::seconds(60);  // from a rank's arrival; at most a day
  bool check = true;  // compare fingerprints before data moves; off: silence, then the deadline
  LinkModel link;
  std::vector<Recorder*> recorders;      // of ranks 0, 1, ..., or empty: nothing is recorded
  std::vector<FlightRecorder*> flights;  // likewise; frozen when the group breaks
  // Shared by the groups of a run, which are all of its size: finds cycles between them; null: none.
  std::shared_ptr<WaitGraph> waits;
  // Looks at what is tagged "gradients" on its own rank, before anything is added to it: afterwards a
  // NaN is everybody's.
  bool check_finite = false;
  // A rank that has waited this long leaves a note "late" naming whom it waits for; 0: none.
  std::chrono::nanoseconds late_after{0};
  // Asked at each collective, on its caller's thread: how long this rank shall stay inside, once all
  // have arrived; kHoldForEver until the group breaks. For faults.
  std::function<std::optional<std::chrono::nanoseconds>(int rank)> hold;
};

// One handle a rank, in rank order. Destroying a handle ends its communication thread; peers that
// still need that rank get PeerLostError.
std::vector<std::unique_ptr<ProcessGroup>> make_thread_group(int size, const ThreadGroupOptions& options);

}  // namespace ringside
