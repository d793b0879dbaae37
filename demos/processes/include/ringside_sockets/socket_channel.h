// A Channel over a stream socket, and a process's channels as whoever starts it hands them over.
#pragma once

#include <memory>
#include <vector>

#include "ringside/comm/channel.h"

namespace ringside {

// Of processes on one machine. sockets: (rank) connected stream sockets, owned from now on; -1 at `rank`
// itself.
std::shared_ptr<ChannelHub> hub_of_sockets(int rank, const std::vector<int>& sockets);

// RINGSIDE_RANK=1 RINGSIDE_SOCKETS=5,-1,7 (descriptors by rank, inherited). Null where the environment says
// nothing; UsageError where it makes no sense.
inline constexpr const char* kRankVariable = "RINGSIDE_RANK";
inline constexpr const char* kSocketsVariable = "RINGSIDE_SOCKETS";
std::shared_ptr<ChannelHub> hub_from_environment();

}  // namespace ringside
