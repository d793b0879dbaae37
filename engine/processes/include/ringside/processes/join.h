// Ranks as processes: what connects this one to the others of its run.
//
//   const Launch launch = resolve(own_environment());        // who am I?
//   const auto process = join(launch);                       // meets the others; null where it is alone
//   run_world({.ranks = process->size(), .hooks = {.process = process}}, ...);
//
// Rank 0 keeps a store (launch/store.h); each rank sets there where it listens; then there is a
// connection between every two, of which the engine makes every collective (comm/channel.h): a Unix socket
// within a host, TCP between hosts, and where a network interface is asked for. Over "nccl" tensors of GPUs, one
// GPU a rank, go by NCCL (nccl/nccl.h), with sums in its order, or in the order of threads. Each process measures
// how far its clock is from rank 0's, so that what all recorded comes together on one axis.
#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "ringside/comm/channel.h"
#include "ringside/comm/wiring.h"
#include "ringside/launch/resolve.h"

namespace ringside::inline processes {

inline constexpr std::chrono::nanoseconds kToJoin = std::chrono::seconds(60);  // until all are there
std::vector<std::string> transports();  // of this build: "sockets", "gloo", "nccl", "nccl_ordered"

// The ranks of one run.
class JoinedRanks : public ProcessWiring {
 public:
  // Of another rank's clock, against this process's: theirs = ours + offset.
  virtual ClockOffset clock(int rank) const = 0;
  // "4 processes over Unix sockets; clocks of ranks 1 to 3 are aligned to rank 0's, within 0.04 ms"
  virtual std::string sentence() const = 0;
};

// Null where the run has one rank. UsageError for a transport that is not there, MissingError for a network
// interface; StoreRefusedError, StoreTimeoutError, StoreLostError (launch/store.h): each names the rank that
// is missing, gone or wrong.
std::shared_ptr<JoinedRanks> join(const Launch& launch, std::chrono::nanoseconds timeout = kToJoin);

// For a program of one's own, first in its main: with `--processes N` among its words, and perhaps
// `--restarts K` (launch/ranks.h), it becomes N ranks, as which it is started again without these, and ends
// as they do; else it joins the run that its environment says, if any.
std::shared_ptr<JoinedRanks> join_by_words(int argc, char** argv);

// This process as rank 0, with the others started here by that command, which joins the run that its
// environment says. For a program that has several runs, one after the other, and shows each while it goes
// on: what the others record comes as it does. They end with what is returned, and with the thread that calls
// this. Errors of join(), with what the others have said.
std::shared_ptr<JoinedRanks> start_others(int ranks, const std::vector<std::string>& command);

// Over a stream socket, which it closes.
std::unique_ptr<Channel> channel_of_socket(int socket);

// sockets: (rank) connected stream sockets, owned from now on; -1 at `rank` itself. own: of a library, or
// null.
std::shared_ptr<ChannelHub> hub_of_sockets(int rank, const std::vector<int>& sockets,
                                           const std::string& description = "ranks as processes, sockets",
                                           std::shared_ptr<OwnCollectives> own = nullptr);

}  // namespace ringside::inline processes
