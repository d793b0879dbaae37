#include "call.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "ringside/base/check.h"
#include "ringside/base/clock.h"
#include "ringside/base/threads.h"
#include "ringside/comm/accumulator.h"
#include "ringside/flight/words.h"

namespace ringside::inline comm {
namespace {

CollectiveEvent event_of(const CallRecord& record, const Collective& asked, int peer, Recorder* recorder) {
  const auto name = [&](const std::string& text) {
    return recorder == nullptr ? NameId{0} : recorder->name(text);
  };
  return {.group = name(record.group),
          .tag = name(asked.tag.what),
          .unit = name(asked.tag.unit),
          .rank = record.rank,
          .peer = peer,
          .collective_seq_id = record.seq,
          .elements = record.elements,
          .bytes_in = record.elements * size_of(record.dtype),
          .time_created_ns = now_ns(),
          .op = record.op,
          .dtype = record.dtype};
}

}  // namespace

Call::Call(std::shared_ptr<GroupState> group, Collective asked, CallRecord record,
           std::function<bool()> computed)
    : TransportCall(std::move(asked), std::move(record)),
      group_(std::move(group)),
      computed_(std::move(computed)),
      recorder_(group_->observers.recorder),
      flight_(group_->observers.flight) {
  if (asked_.again || group_->transport->failure()) {
    recorder_ = nullptr;
    flight_ = nullptr;
  }
  event_ = event_of(record_, asked_, group_->rank_at(asked_.peer), recorder_);
  if (recorder_ != nullptr) recorder_->collective(event_);
  if (flight_ != nullptr) flight_record_ = flight_->scheduled(flight_entry());
}

FlightEntry Call::flight_entry() const {
  const bool message = is_p2p(record_.op);
  return {
      .group = record_.group,
      .collective_seq_id = message ? 0 : record_.seq,
      .p2p_seq_id = message ? record_.seq : 0,
      .op = record_.op,
      .dtype = record_.dtype,
      .elements_in = record_.elements,
      .elements_out = message ? record_.elements : asked_.output.count,
      .peer = asked_.peer,
      .tag = asked_.tag.what,
      .unit = asked_.tag.unit,
      .time_created_ns = event_.time_created_ns,
      .timeout_ms = std::chrono::duration_cast<std::chrono::milliseconds>(group_->options.timeout).count()};
}

void Call::enter(CollectiveState state, int64_t time_ns) {
  event_.state = state;
  if (recorder_ != nullptr) recorder_->collective(event_);
  if (flight_ != nullptr) flight_->update(flight_record_, state, time_ns);
}

void Call::started() {
  event_.time_started_ns = now_ns();
  const TimePoint now = SteadyClock::now();
  deadline_ = now + group_->options.timeout;
  if (group_->options.late_after.count() > 0) late_at_ = now + group_->options.late_after;
  if (is_carried_by_waiter_) blocked_at_ = now + kOnTheirWay;
  look_at_ = next_look();
  enter(CollectiveState::kStarted, event_.time_started_ns);
}

void Call::carried_by_waiter(bool now) {
  is_carried_by_waiter_ = now;
  if (flight_ != nullptr) flight_->blocked_in(now ? flight_record_ : -1);
}

void Call::completed() {
  event_.bytes_sent = group_->transport->observes_bytes() ? bytes_sent() : kNotObservable;
  end(CollectiveState::kCompleted, std::nullopt);
}

void Call::failed(Failure failure) { end(CollectiveState::kFailed, std::move(failure)); }

void Call::end(CollectiveState state, std::optional<Failure> failure) {
  event_.time_completed_ns = now_ns();
  enter(state, event_.time_completed_ns);
  const std::lock_guard lock(mutex_);
  done_ = true;
  failure_ = std::move(failure);
  ended_.notify_all();
}

std::optional<Failure> Call::not_finite() const {
  if (!group_->options.check_finite || !asked_.tag.look_for_nan ||
      (asked_.input.device != Device::kCpu && device_memory() == nullptr))
    return std::nullopt;
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
  for (const int place : odd) ranks.push_back(by_place[size_t(place)]->rank);
  return {Verdict::Kind::kBreak, Failure{Failure::Kind::kMismatch, ranks, describe_disagreement(by_place)}};
}

void Call::waits_for(const std::vector<int>& places) {
  const auto has_come = [now = SteadyClock::now()](std::optional<TimePoint>& at) {
    const bool is_over = at && now >= *at;
    if (is_over) at.reset();
    return is_over;
  };
  if (has_come(late_at_)) note_late(places);
  if (has_come(blocked_at_) && group_->options.on_blocked) group_->options.on_blocked();
  look_at_ = next_look();
}

std::optional<TimePoint> Call::next_look() const {
  return late_at_ && blocked_at_ ? std::min(late_at_, blocked_at_) : late_at_ ? late_at_ : blocked_at_;
}

// A late rank is no failure: the wait goes on.
void Call::note_late(const std::vector<int>& places) const {
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
  if (const auto lane = lane_.lock(); lane && !done()) lane->carry_here(shared_from_this());
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

}  // namespace ringside::inline comm
