// Sends and receives that wait for each other: matched first in, first out per
// (source, destination). Not thread-safe; the hub's lock guards it.
#pragma once

#include <deque>
#include <optional>
#include <vector>

#include "ringside/base/clock.h"

#include "call.h"

namespace ringside {

struct Transfer {
  CallPtr send, recv;
};

class Mailbox {
 public:
  struct Letter {
    CallPtr call;
    TimePoint deadline;
  };
  struct Match {
    Transfer transfer;
    bool agrees = true;  // in count and dtype; if not, both sides stay filed
  };
  explicit Mailbox(int size) : size_(size), pairs_(static_cast<size_t>(size) * size) {}

  // Files a send or recv; takes out the pair that it completes.
  std::optional<Match> post(const Letter& letter);
  // Of what `rank` has filed and nobody has matched: the letter with the first deadline, or all of them.
  std::optional<Letter> most_urgent(int rank) const;
  std::vector<CallPtr> withdraw(int rank);
  bool waits_for(int rank, int peer) const;

 private:
  struct Pair {
    std::deque<Letter> sends, recvs;
  };
  const Pair& pair(int source, int destination) const { return pairs_[source * size_ + destination]; }
  Pair& pair(int source, int destination) { return pairs_[source * size_ + destination]; }

  int size_;
  std::vector<Pair> pairs_;  // (source, destination)
};

}  // namespace ringside
