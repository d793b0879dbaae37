// One call of one rank: the Work its caller waits on, and what the trace and the flight recorder keep of it.
#pragma once

#include <chrono>
#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "ringside/comm/observed_group.h"

namespace ringside::inline comm {

// A rank that has been blocked this long asks whether it closes a cycle of waits. The others that are on
// their way into the cycle have arrived by then, so that the report names all of them.
inline constexpr std::chrono::milliseconds kOnTheirWay{20};

// What the calls, lanes and handle of one rank in one group share. A call may outlive the handle.
struct GroupState {
  const GroupOptions options;
  const std::vector<int> ranks;  // (place) of the world
  const int place = 0;
  const Observers observers;
  const std::unique_ptr<Transport> transport;
  std::mutex mutex{};  // guards what follows
  std::condition_variable changed{};
  std::optional<Failure> failure{};
  bool left = false;

  int rank_at(int at) const { return at < 0 ? -1 : ranks[size_t(at)]; }  // -1: of nobody
  int rank() const { return rank_at(place); }
  std::vector<int> ranks_at(const std::vector<int>& places) const;
  void broke(const Failure& failure);  // from the transport
  void leave();
  // Sleeps; false where the group broke, or the handle went, before `end`.
  bool sleep_until(TimePoint end);
};

// UsageError, with rank, group, call and tag, for what the caller has got wrong alone: types, counts, a peer,
// memory.
void check_arguments(const Collective& call, const ProcessGroup& group);
// Where the group's frames carry the call: UsageError if a rank's part of it is more than one frame holds.
// All ranks find the same, before anything is sent.
void check_frames(const Transport& transport, const Collective& call, int size);

class CallLane;

class Call final : public Work, public TransportCall, public std::enable_shared_from_this<Call> {
 public:
  // Records the call as scheduled, unless the group is broken. computed: see DeviceMemory::mark().
  Call(std::shared_ptr<GroupState> group, Collective asked, CallRecord record,
       std::function<bool()> computed);

  bool is_computed() const { return !computed_ || computed_(); }
  void queued_in(const std::shared_ptr<CallLane>& lane) { lane_ = lane; }
  void started();                    // its turn has come: the deadline counts from now on
  void carried_by_waiter(bool now);  // in place of the lane's thread
  void completed();
  void failed(Failure failure);
  // Where the group looks for it and the input holds a NaN or an infinity.
  std::optional<Failure> not_finite() const;

  Verdict judge(const std::vector<const CallRecord*>& by_place) const override;
  void waits_for(const std::vector<int>& places) override;
  Failure timed_out(const std::vector<int>& places) const override;
  Failure lost(const std::vector<int>& places) const override;
  void wait() override;
  bool done() const override;

 private:
  FlightEntry flight_entry() const;
  void note_late(const std::vector<int>& places) const;
  std::optional<TimePoint> next_look() const;
  void enter(CollectiveState state, int64_t time_ns);
  void end(CollectiveState state, std::optional<Failure> failure);
  void block(std::unique_lock<std::mutex>& lock);

  const std::shared_ptr<GroupState> group_;
  const std::function<bool()> computed_;
  std::weak_ptr<CallLane> lane_;  // a call may outlive it
  bool is_carried_by_waiter_ = false;
  // When to note who is late, and to ask for a cycle. None: it is done, or not wanted.
  std::optional<TimePoint> late_at_, blocked_at_;
  Recorder* recorder_;
  FlightRecorder* flight_;
  CollectiveEvent event_;  // names are interned where there is a recorder
  int64_t flight_record_ = -1;

  mutable std::mutex mutex_;
  std::condition_variable ended_;
  bool done_ = false;
  std::optional<Failure> failure_;
};

// A rank's calls in a row, and the thread that carries them out, first in, first out. Who waits for the next
// one carries it itself: that wakes nobody. What is queued when the group has been left ends with an error.
class CallLane : public std::enable_shared_from_this<CallLane> {
 public:
  CallLane(std::shared_ptr<GroupState> group, const std::string& thread_name);
  int64_t next_seq() { return seq_++; }
  int64_t last_seq() const { return seq_ - 1; }
  void push(std::shared_ptr<Call> call);
  // Of a call in the host's memory that is the next one. Else, or where it is under way, nothing happens. Who
  // calls it keeps the lane alive. A broken invariant ends the process, as on the thread.
  void carry_here(const std::shared_ptr<Call>& call) noexcept;

 private:
  void serve(const std::stop_token& stop);
  void carry(const std::shared_ptr<Call>& call);
  bool wait_for_device(const Call& call);
  bool wait_for_link(const Call& call, const Transport::Outcome& outcome);

  const std::shared_ptr<GroupState> group_;
  int64_t seq_ = 0;
  std::mutex mutex_;  // guards what follows
  std::condition_variable_any changed_;
  std::deque<std::shared_ptr<Call>> queue_;
  bool is_carrying_ = false;  // the thread, or who waits for the call
  std::jthread thread_;       // the last member: it stops before the others go
};

}  // namespace ringside::inline comm
