// Ranks as processes: each pair of them has one stream socket, over which the frames of all groups travel. A
// process reads every socket on a thread of its own and files frames by group, lane and sender, so that a
// write never waits for a peer that writes too.
//
// A call begins with its record, which every rank sends to every other; each compares them all. Then data
// moves in the same order as between threads (comm/wiring.h), so sums have the same bits: rank r
// receives its chunk of every peer's buffer, adds up in rank order, rounds once, and sends the result to all.
//
// Bytes from outside are bounded before they are believed: a frame that is too large, of another version, or
// not what the protocol has next ends the connection, and its peer is lost.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "ringside/comm/wiring.h"

namespace ringside {

struct SocketState;

// This process's sockets to all others, and what has come in: for one run after the other, until one is
// aborted. Safe from any thread.
class SocketHub final : public ProcessWiring, public std::enable_shared_from_this<SocketHub> {
 public:
  // sockets: (rank) connected stream sockets, owned from now on; -1 at `rank` itself.
  SocketHub(int rank, std::vector<int> sockets);
  ~SocketHub() override;
  // What whoever starts the processes says: RINGSIDE_RANK=1 RINGSIDE_SOCKETS=5,-1,7 (descriptors by rank,
  // inherited). Null where it says nothing; UsageError where it makes no sense.
  static std::shared_ptr<SocketHub> from_environment();
  static constexpr const char* kRankVariable = "RINGSIDE_RANK";
  static constexpr const char* kSocketsVariable = "RINGSIDE_SOCKETS";
  SocketHub(const SocketHub&) = delete;
  SocketHub& operator=(const SocketHub&) = delete;

  int rank() const override;
  int size() const override;
  std::unique_ptr<Transport> connect(const std::string& name, const std::vector<int>& ranks,
                                     int place) override;
  void abort(int rank, const Failure& failure) override;

 private:
  class End;
  const std::unique_ptr<SocketState> state_;
};

}  // namespace ringside
