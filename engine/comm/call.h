// One call of one rank: what it asks for, the Work its caller waits on, the
// events it leaves in the trace, and the bytes that left the rank for it.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>

#include "ringside/comm/checked_group.h"
#include "ringside/comm/process_group.h"
#include "ringside/comm/wait_graph.h"
#include "ringside/flight/recorder.h"
#include "ringside/trace/trace.h"

#include "failure.h"

namespace ringside {

class Call final : public Work {
 public:
  struct Request {
    int rank = 0;
    int peer = -1;  // of a send or recv
    Fingerprint fingerprint;
    ConstView input;  // of a broadcast and an all-reduce: the buffer itself
    View output;
    bool must_be_finite = false;                     // the input, before anything is added to it
    std::optional<std::chrono::nanoseconds> hold{};  // how long the rank stays inside, where a fault says so
  };
  struct Observers {  // each may be null
    Recorder* recorder = nullptr;
    FlightRecorder* flight = nullptr;
    WaitGraph* waits = nullptr;
    int group = -1;  // in the wait graph
    std::chrono::nanoseconds timeout{0};
  };
  // Records the call as scheduled.
  Call(Request request, const Observers& observers, const Tag& tag);

  const Request& request() const { return request_; }
  int rank() const { return request_.rank; }
  Op op() const { return request_.fingerprint.op; }

  // Whoever copies `bytes` out of this rank's input says so here.
  void count_sent(int64_t bytes) { bytes_sent_.fetch_add(bytes, std::memory_order_relaxed); }
  int64_t bytes_sent() const { return bytes_sent_.load(std::memory_order_relaxed); }

  void started();
  void completed();
  void failed(Failure failure);

  void wait() override;
  bool done() const override;

 private:
  void schedule_event(const Tag& tag);
  void schedule_flight(const Tag& tag);
  void record(CollectiveState state);
  void end(CollectiveState state, std::optional<Failure> failure);

  const Request request_;
  const Observers observers_;
  CollectiveEvent event_;  // of the latest state
  int64_t flight_record_ = -1;
  std::atomic<int64_t> bytes_sent_{0};

  mutable std::mutex mutex_;
  std::condition_variable ended_;
  bool done_ = false;
  std::optional<Failure> failure_;
};
using CallPtr = std::shared_ptr<Call>;

}  // namespace ringside
