// The store of the run: kept by rank 0, found by the others.
//
// Where: at MASTER_ADDR and the launcher's port; under torchrun, whose own store has that port, at a port of
// the system's choice, which rank 0 says in torchrun's (launch/agent_store.h).
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "ringside/launch/resolve.h"
#include "ringside/launch/store.h"

namespace ringside::inline processes {

// What a rank says of where it listens: "10.0.0.7 41235".
struct Place {
  std::string address;
  int port = 0;
  std::string text() const;
};
Place place_of(int rank, const std::string& said);  // StoreRefusedError naming the rank

// At which address this rank listens, and at which one the others reach it.
struct OwnAddress {
  std::string listens, reached;
};
// reaches_by: this process's end of a connection to MASTER_ADDR. On the host of that name it may be a
// loopback address (Debian's 127.0.1.1), which is no use to other hosts: they have the name then.
OwnAddress own_address(const Launch& launch, const std::string& reaches_by);

struct RunStore {
  std::unique_ptr<StoreServer> server;  // of rank 0
  std::shared_ptr<TcpStore> store;
};
// Errors of launch/store.h and launch/agent_store.h.
RunStore meet(const Launch& launch, TimePoint deadline);

// A connection between every two ranks of a run. (rank) a connected socket; -1 at this rank's own place: a
// Unix socket where both are on one host and no network interface is asked for, else TCP. Who connects and is
// no rank of this run is turned away.
std::vector<int> connect_all(const Launch& launch, TcpStore& store, TimePoint deadline);

}  // namespace ringside::inline processes
