// A transport moves the bytes of one group's calls, and nothing else. Numbers, deadlines, records, the
// comparison of records, the look for NaN, planned faults and the simulated link belong to the ObservedGroup
// above it.
//
// Each rank has its end of the transport. carry() is called by one thread per lane: one lane holds the
// collectives of the group, in their order; each direction between two ranks is a lane of its own, so that a
// message that waits holds up nothing else. Lanes run at the same time.
//
//   threads   copies out of the peers' buffers (wiring.h)
//   channels  hands bytes to a Channel per pair of ranks (channel.h)
//   a library (Gloo, NCCL) waits in carry(); where it hides the bytes it sends, observes_bytes() is false
//   and the record says so
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "ringside/base/clock.h"
#include "ringside/comm/errors.h"
#include "ringside/comm/process_group.h"

namespace ringside::inline comm {

// One call of one rank on its way. The group above makes it and is told of it.
class TransportCall {
 public:
  virtual ~TransportCall() = default;
  TransportCall(Collective asked, CallRecord record) : asked_(std::move(asked)), record_(std::move(record)) {}

  const Collective& asked() const { return asked_; }
  const CallRecord& record() const { return record_; }
  TimePoint deadline() const { return deadline_; }
  // When to say waits_for(), where peers are waited for still; none: never.
  std::optional<TimePoint> look_at() const { return look_at_; }

  // Called where `bytes` are copied out of this rank's input, or handed to a channel.
  void count_sent(int64_t bytes) { bytes_sent_.fetch_add(bytes, std::memory_order_relaxed); }
  int64_t bytes_sent() const { return bytes_sent_.load(std::memory_order_relaxed); }

  // Once the records of all ranks are known, and before data moves. kWait: they disagree and no rank shall be
  // told; the call then waits for its deadline. A failure breaks the group.
  struct Verdict {
    enum class Kind { kMove, kWait, kBreak } kind = Kind::kMove;
    std::optional<Failure> failure{};
  };
  virtual Verdict judge(const std::vector<const CallRecord*>& by_place) const = 0;
  // This rank has waited until look_at(), which moves on, for the ranks at these places. Nothing is locked.
  virtual void waits_for(const std::vector<int>& places) = 0;
  // How the call breaks the group: its deadline has passed without the ranks at these places, or they have
  // left.
  virtual Failure timed_out(const std::vector<int>& places) const = 0;
  virtual Failure lost(const std::vector<int>& places) const = 0;

 protected:
  const Collective asked_;
  CallRecord record_;  // what ranks must agree in does not change once it is made
  TimePoint deadline_{};
  std::optional<TimePoint> look_at_{};

 private:
  std::atomic<int64_t> bytes_sent_{0};
};

class Transport {
 public:
  virtual ~Transport() = default;
  virtual std::string description() const = 0;  // "ranks as threads", for flight dumps
  virtual bool reaches(Device device) const { return device == Device::kCpu; }
  virtual bool observes_bytes() const { return true; }

  struct Outcome {
    bool done = false;            // false: failure() says how it broke, or this rank has left
    TimePoint start{};            // when the last rank arrived
    int64_t most_bytes_sent = 0;  // by any rank, as far as it is known here
  };
  // Blocks until the call is over on this rank. In every case no rank touches the call's buffers after it
  // returns.
  virtual Outcome carry(const std::shared_ptr<TransportCall>& call) = 0;

  // Ends every call of every rank that is not being carried out; the first failure stands.
  virtual void break_off(const Failure& failure) = 0;
  virtual std::optional<Failure> failure() = 0;
  // Told once, on the thread that breaks the group off. It must not call the transport.
  virtual void on_broken(std::function<void(const Failure&)> listener) = 0;
  // This rank goes: its calls end, and so do those that need it.
  virtual void leave() = 0;
};

}  // namespace ringside::inline comm
