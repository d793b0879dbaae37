// One call whose ranks have all arrived and agree: the data phases. Each rank's communication thread runs its
// own part; after each phase they meet, so that no rank leaves while another may still touch its buffers. Of
// a small payload the last rank to arrive runs every part, phase by phase: the same reads and sums, for less
// than it costs to wake everyone once more. A message is a call of two: index 0 sends, index 1 receives.
#pragma once

#include <condition_variable>
#include <mutex>
#include <vector>

#include "ringside/base/clock.h"
#include "ringside/comm/parts.h"
#include "ringside/comm/transport.h"

namespace ringside::inline comm {

class Exchange {
 public:
  using CallPtr = std::shared_ptr<TransportCall>;
  // calls: one a rank, by place. Runs what is small at once, unless a rank is to be held inside.
  explicit Exchange(std::vector<CallPtr> calls);

  // This rank's part. False: `deadline` passed before absent() had done theirs, here or on another rank, or
  // break_off() was called. In every case no rank touches this rank's buffers after it returns.
  bool run(int rank, TimePoint deadline);
  bool held() const { return held_; }
  void break_off();
  std::vector<int> absent();  // of a broken one: the ranks that the others waited for
  // Once run() has returned: when the last rank arrived, and the most that any rank sent.
  TimePoint start() const { return start_; }
  int64_t most_bytes_sent() const;

 private:
  int size() const { return int(calls_.size()); }
  const Collective& asked(int rank) const { return calls_[size_t(rank)]->asked(); }
  ConstView read(int reader, int peer, Chunk part);
  void copy(int reader, int peer, const TakenPart& part);
  void reduce(int rank, const TakenPart& part);
  int phases() const { return held_ && asked(0).op == Op::kBarrier ? 1 : phases_of(asked(0).op); }
  void run_phase(int phase, int rank);
  bool begin_phase();
  bool meet(int rank, TimePoint deadline);
  void break_locked();
  void wait_until_quiet(std::unique_lock<std::mutex>& lock);

  const std::vector<CallPtr> calls_;
  const TimePoint start_;
  const bool held_;
  const bool small_;

  std::mutex mutex_;  // guards all below
  std::condition_variable changed_;
  std::vector<int> phases_done_;  // (rank)
  int copying_ = 0;               // ranks within a phase
  bool broken_ = false;
  std::vector<int> absent_;
};

}  // namespace ringside::inline comm
