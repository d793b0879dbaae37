#include "call.h"

#include <fmt/format.h>

#include <chrono>

#include "ringside/base/check.h"
#include "ringside/base/clock.h"
#include "ringside/base/threads.h"
#include "ringside/comm/accumulator.h"
#include "ringside/flight/words.h"

namespace ringside {
namespace {

// A rank that has been blocked this long asks whether it closes a cycle of waits. The others that are on
// their way into the cycle have arrived by then, so that the report names all of them.
constexpr std::chrono::milliseconds kOnTheirWay{20};

FlightEntry flight_entry(const CallRecord& call, int peer_place) {
  FlightEntry entry;
  entry.group = call.group;
  entry.op = call.op;
  (entry.is_p2p() ? entry.p2p_seq_id : entry.collective_seq_id) = call.seq;
  entry.dtype = call.dtype;
  entry.elements_in = call.elements;
  entry.elements_out = call.elements_out;
  entry.peer = peer_place;
  entry.tag = call.tag.what;
  entry.unit = call.tag.unit;
  entry.time_created_ns = call.time_created_ns;
  entry.timeout_ms = call.timeout_ms;
  return entry;
}

CollectiveEvent event_of(const CallRecord& call, Recorder& recorder) {
  CollectiveEvent event;
  event.group = recorder.name(call.group);
  event.tag = recorder.name(call.tag.what);
  event.unit = recorder.name(call.tag.unit);
  event.rank = call.rank;
  event.peer = call.peer;
  event.collective_seq_id = call.seq;
  event.elements = call.elements;
  event.bytes_in = call.elements * size_of(call.dtype);
  event.time_created_ns = call.time_created_ns;
  event.op = call.op;
  event.dtype = call.dtype;
  return event;
}

}  // namespace

Call::Call(std::shared_ptr<GroupState> group, Collective asked, CallRecord record)
    : TransportCall(std::move(asked), std::move(record)),
      group_(std::move(group)),
      recorder_(group_->observers.recorder),
      flight_(group_->observers.flight) {
  record_.time_created_ns = now_ns();
  if (group_->transport->failure()) {
    recorder_ = nullptr;
    flight_ = nullptr;
  }
  if (recorder_ != nullptr) event_ = event_of(record_, *recorder_);
  enter(CollectiveState::kScheduled);
  if (flight_ != nullptr) flight_record_ = flight_->scheduled(flight_entry(record_, asked_.peer));
}

void Call::enter(CollectiveState state) {
  record_.state = state;
  if (recorder_ == nullptr) return;
  event_.state = state;
  event_.time_started_ns = record_.time_started_ns;
  event_.time_completed_ns = record_.time_completed_ns;
  event_.bytes_sent = record_.bytes_sent;
  recorder_->collective(event_);
}

void Call::started() {
  record_.time_started_ns = now_ns();
  const TimePoint now = SteadyClock::now();
  deadline_ = now + group_->options.timeout;
  if (group_->options.late_after.count() > 0) late_at_ = now + group_->options.late_after;
  enter(CollectiveState::kStarted);
  if (flight_ != nullptr) flight_->update(flight_record_, record_.state, record_.time_started_ns);
}

void Call::completed() {
  record_.bytes_sent = group_->transport->observes_bytes() ? bytes_sent() : kNotObservable;
  end(CollectiveState::kCompleted, std::nullopt);
}

void Call::failed(Failure failure) { end(CollectiveState::kFailed, std::move(failure)); }

void Call::end(CollectiveState state, std::optional<Failure> failure) {
  record_.time_completed_ns = now_ns();
  enter(state);
  if (flight_ != nullptr) flight_->update(flight_record_, state, record_.time_completed_ns);
  const std::lock_guard lock(mutex_);
  done_ = true;
  failure_ = std::move(failure);
  ended_.notify_all();
}

std::optional<Failure> Call::not_finite() const {
  if (!group_->options.check_finite || record_.tag.what != "gradients") return std::nullopt;
  const auto place = first_non_finite(asked_.input);
  if (!place) return std::nullopt;
  return Failure{
      Failure::Kind::kNotFinite,
      {record_.rank},
      fmt::format("rank {}'s own input is not finite at element {}, before anything was added to it",
                  record_.rank, *place),
      to_string(record_)};
}

TransportCall::Verdict Call::judge(const std::vector<const CallRecord*>& by_place) const {
  const std::vector<int> odd = disagreeing(by_place);
  if (odd.empty()) return {};
  if (!group_->options.check) return {Verdict::Kind::kWait};
  std::vector<int> ranks;
  for (const int place : odd) ranks.push_back(by_place[static_cast<size_t>(place)]->rank);
  if (is_p2p(record_.op)) ranks = {by_place.front()->rank, by_place.back()->rank};
  return {Verdict::Kind::kBreak, Failure{Failure::Kind::kMismatch, ranks, describe_disagreement(by_place)}};
}

// A late rank is no failure: the wait goes on.
void Call::note_late(const std::vector<int>& places) {
  if (recorder_ == nullptr || places.empty()) return;
  recorder_->note("late", -1,
                  fmt::format("{} waits for {} after {}", to_string(record_),
                              flight::name_ranks(group_->ranks_at(places)),
                              flight::seconds(group_->options.late_after.count())));
}

Failure Call::timed_out(const std::vector<int>& places) const {
  const std::vector<int> ranks = group_->ranks_at(places);
  const std::string where = ranks.empty() ? "on the device" : "without " + flight::name_ranks(ranks);
  return {Failure::Kind::kTimeout, ranks,
          fmt::format("timed out after {} {}\n{}", flight::seconds(group_->options.timeout.count()), where,
                      wait_report()),
          to_string(record_)};
}

Failure Call::lost(const std::vector<int>& places) const {
  const std::vector<int> ranks = group_->ranks_at(places);
  return {Failure::Kind::kPeerLost, ranks,
          fmt::format("{} went away: it destroyed its handle of {}", flight::name_ranks(ranks),
                      group_->options.name)};
}

void Call::wait() {
  std::unique_lock lock(mutex_);
  if (!done_) block(lock);
  if (failure_) throw_error(*failure_, record_);
}

void Call::block(std::unique_lock<std::mutex>& lock) {
  const WaitScope scope("the end of " + to_string(record_));
  const auto is_done = [this] { return done_; };
  if (flight_ != nullptr) flight_->blocked_in(flight_record_);
  if (!ended_.wait_for(lock, kOnTheirWay, is_done) && group_->options.on_blocked) {
    lock.unlock();
    group_->options.on_blocked();
    lock.lock();
  }
  const auto held = asked_.hold.value_or(std::chrono::nanoseconds(0));
  const bool ended = ended_.wait_for(lock, stuck_limit(group_->options.timeout) + held, is_done);
  if (flight_ != nullptr) flight_->blocked_in(-1);
  RINGSIDE_CHECK(ended, "a communication thread is stuck\n" << wait_report());
}

bool Call::done() const {
  const std::lock_guard lock(mutex_);
  return done_;
}

}  // namespace ringside
