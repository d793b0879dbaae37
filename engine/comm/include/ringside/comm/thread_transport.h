// Ranks as threads of one process. A call meets its peers at a rendezvous, a condition variable with a
// deadline; the last to arrive compares the records; then each rank copies straight out of the others'
// buffers.
//
// All-reduce is direct, in rank order: rank r reads its chunk of every peer's buffer, 0 .. N-1, adds in fp32
// and rounds once; then it reads the other chunks from their owners. Chunk r of n elements: [r n / N, (r+1) n
// / N). Results do not depend on timing. The ring, in collectives/ring.h, is deterministic too but adds in
// another order.
//
// Sends and receives meet two by two, first in, first out per direction. A send completes when its peer has
// copied its buffer.
#pragma once

#include <map>
#include <memory>
#include <mutex>

#include "ringside/comm/transport.h"

namespace ringside {

class Exchange;

// What the ranks of one group share. Each rank's end of it is a Transport.
class Rendezvous : public std::enable_shared_from_this<Rendezvous> {
 public:
  explicit Rendezvous(std::vector<int> ranks);
  ~Rendezvous();
  std::unique_ptr<Transport> end_of(int place);
  void break_off(const Failure& failure);

 private:
  class End;
  struct Lane;
  using CallPtr = std::shared_ptr<TransportCall>;
  using Lock = std::unique_lock<std::mutex>;
  using Outcome = Transport::Outcome;

  Outcome carry(const CallPtr& call, int place);
  Lane& lane_of(const TransportCall& call, int place);
  void match(Lane& lane);
  std::optional<Outcome> wait_for_match(Lock& lock, Lane& lane, size_t me, const CallPtr& call);
  std::vector<int> gone_from(const Lane& lane) const;
  Outcome run(Lock& lock, Lane& lane, size_t me, const CallPtr& call);
  void break_locked(const Failure& failure);
  void leave(int place);

  const std::vector<int> ranks_;
  std::mutex mutex_;  // guards all below
  std::map<std::pair<int, int>, std::unique_ptr<Lane>>
      lanes_;               // (source, destination); (-1, -1): collectives
  std::vector<bool> left_;  // (place)
  std::vector<std::function<void(const Failure&)>> listeners_;  // (place)
  std::vector<std::weak_ptr<Exchange>> held_;                   // that a planned fault holds up
  std::optional<Failure> failure_;
};

}  // namespace ringside
