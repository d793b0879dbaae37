// One call of one rank: the Work its caller waits on, and what the trace and the flight recorder keep of it.
#pragma once

#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "ringside/comm/observed_group.h"

namespace ringside::inline comm {

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

  int rank_at(int at) const { return at < 0 ? -1 : ranks[static_cast<size_t>(at)]; }  // -1: of nobody
  int rank() const { return rank_at(place); }
  std::vector<int> ranks_at(const std::vector<int>& places) const;
  void broke(const Failure& failure);  // from the transport
  void leave();
  // Sleeps; false where the group broke, or the handle went, before `end`.
  bool sleep_until(TimePoint end);
};

class Call final : public Work, public TransportCall {
 public:
  // Records the call as scheduled, unless the group is broken.
  Call(std::shared_ptr<GroupState> group, Collective asked, CallRecord record);

  void started();  // its turn has come: the deadline counts from now on
  void completed();
  void failed(Failure failure);
  // Where the group looks for it and the input holds a NaN or an infinity.
  std::optional<Failure> not_finite() const;

  Verdict judge(const std::vector<const CallRecord*>& by_place) const override;
  void note_late(const std::vector<int>& places) override;
  Failure timed_out(const std::vector<int>& places) const override;
  Failure lost(const std::vector<int>& places) const override;
  void wait() override;
  bool done() const override;

 private:
  FlightEntry flight_entry() const;
  void enter(CollectiveState state, int64_t time_ns);
  void end(CollectiveState state, std::optional<Failure> failure);
  void block(std::unique_lock<std::mutex>& lock);

  const std::shared_ptr<GroupState> group_;
  Recorder* recorder_;
  FlightRecorder* flight_;
  CollectiveEvent event_;  // names are interned where there is a recorder
  int64_t flight_record_ = -1;

  mutable std::mutex mutex_;
  std::condition_variable ended_;
  bool done_ = false;
  std::optional<Failure> failure_;
};

// One queue of a rank's calls and the thread that carries them out, first in, first out. It is destroyed once
// the group has been left; what is queued then ends with an error.
class CallLane {
 public:
  CallLane(std::shared_ptr<GroupState> group, const std::string& thread_name);
  int64_t next_seq() { return seq_++; }
  int64_t last_seq() const { return seq_ - 1; }
  void push(std::shared_ptr<Call> call);

 private:
  void serve(const std::stop_token& stop);
  void carry(const std::shared_ptr<Call>& call);
  bool finishes(const Call& call, const Transport::Outcome& outcome);
  bool wait_for_link(const Call& call, const Transport::Outcome& outcome);
  bool wait_until_settled(const Call& call);

  const std::shared_ptr<GroupState> group_;
  int64_t seq_ = 0;
  std::mutex mutex_;  // guards queue_
  std::condition_variable_any changed_;
  std::deque<std::shared_ptr<Call>> queue_;
  std::jthread thread_;  // the last member: it stops before the others go
};

}  // namespace ringside::inline comm
