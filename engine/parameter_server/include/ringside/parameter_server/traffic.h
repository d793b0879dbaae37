// What workers and heads of ranges send each other in a training of whole pulls and pushes, from the
// configuration alone: the ledger's predicted side for a recorded run (recording.h). In c iterations of W
// workers, with n keys in a range:
//
//   a worker   a range           c pulls of 74 bytes,    c pushes of 74 + 4n
//   its head   a range, worker   c pulled of 74 + 4n,    c pushed of 52
//
// So a server that heads 1/S of the keys sends and receives 8 W c keys/S bytes of values. The formulas hold
// where nothing is lost or late, no chain changes, and no filter is on. What else is sent (heartbeats,
// leases, tables; forwards and snapshots of copies) follows from times, and is counted alone.
#pragma once

#include <vector>

#include "ringside/parameter_server/cluster.h"
#include "ringside/trace/events.h"

namespace ringside::inline ps {

// Ranks as in a recording: workers, then servers. Servers have their numbers on the simulated network.
std::vector<LedgerRow> predict_messages(const Cluster& cluster, int64_t clocks);

}  // namespace ringside::inline ps
