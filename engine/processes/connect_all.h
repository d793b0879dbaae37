// A connection between every two ranks of a run.
#pragma once

#include <vector>

#include "ringside/launch/resolve.h"
#include "ringside/launch/store.h"

namespace ringside::inline processes {

// (rank) a connected socket; -1 at this rank's own place: a Unix socket where both are on one host and no
// network interface is asked for, else TCP. Who connects and is no rank of this run is turned away.
std::vector<int> connect_all(const Launch& launch, TcpStore& store, TimePoint deadline);

}  // namespace ringside::inline processes
