// What carries one call over a process's sockets.
#pragma once

#include <vector>

#include "ringside/comm/transport.h"
#include "socket_state.h"

namespace ringside {

// This rank's end of one group.
struct SocketEnd {
  Transport& transport;
  SocketState& state;
  uint64_t group = 0;
  std::vector<int> ranks;  // (place)
  int place = 0;
};

Transport::Outcome carry_over_sockets(const SocketEnd& end, TransportCall& call);

}  // namespace ringside
