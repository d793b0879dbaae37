// What carries one call over a rank's channels.
#pragma once

#include <vector>

#include "channel_state.h"
#include "ringside/comm/transport.h"

namespace ringside {

// This rank's end of one group.
struct ChannelEnd {
  Transport& transport;
  ChannelState& state;
  uint64_t group = 0;
  std::vector<int> ranks;  // (place)
  int place = 0;
};

Transport::Outcome carry_over_channels(const ChannelEnd& end, TransportCall& call);

}  // namespace ringside
