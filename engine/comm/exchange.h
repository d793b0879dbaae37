// One collective whose ranks have all arrived and agree: the data phases. Each
// rank's communication thread runs its own part; between the phases they meet.
// No rank leaves while another may still touch its buffers.
#pragma once

#include <condition_variable>
#include <mutex>
#include <vector>

#include "ringside/base/clock.h"
#include "ringside/comm/views.h"

#include "call.h"

namespace ringside {

class Exchange {
 public:
  // calls: one a rank, in rank order.
  explicit Exchange(std::vector<CallPtr> calls) : calls_(std::move(calls)), start_(SteadyClock::now()) {}

  void run(int rank);
  // Once run() has returned: when the last rank arrived, and the most that any rank sent.
  TimePoint start() const { return start_; }
  int64_t most_bytes_sent() const;

 private:
  int size() const { return static_cast<int>(calls_.size()); }
  const Call::Request& request(int rank) const { return calls_[rank]->request(); }
  ConstView read(int reader, int peer, Chunk part);
  void copy(int reader, int peer, Chunk from, Chunk to);

  void reduce(int rank, Chunk chunk, View output);
  void all_reduce(int rank);
  void reduce_scatter(int rank);
  void all_gather(int rank);
  void broadcast(int rank);
  void all_to_all(int rank);
  void meet();

  const std::vector<CallPtr> calls_;
  const TimePoint start_;

  std::mutex mutex_;
  std::condition_variable all_met_;
  int met_ = 0;
  int64_t meetings_ = 0;
};

}  // namespace ringside
