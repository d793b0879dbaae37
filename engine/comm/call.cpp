#include "call.h"

#include <chrono>

#include "ringside/base/check.h"
#include "ringside/base/clock.h"
#include "ringside/base/threads.h"
#include "ringside/comm/deadlines.h"

namespace ringside {

Call::Call(Request request, const Observers& observers, const Tag& tag)
    : request_(std::move(request)), observers_(observers) {
  event_.time_created_ns = now_ns();
  if (observers_.recorder != nullptr) schedule_event(tag);
  if (observers_.flight != nullptr) schedule_flight(tag);
}

void Call::schedule_event(const Tag& tag) {
  const Fingerprint& fingerprint = request_.fingerprint;
  event_.group = observers_.recorder->name(fingerprint.group);
  event_.tag = observers_.recorder->name(tag.what);
  event_.unit = observers_.recorder->name(tag.unit);
  event_.rank = request_.rank;
  event_.peer = fingerprint.op == Op::kBroadcast ? fingerprint.root : request_.peer;
  event_.collective_seq_id = fingerprint.seq;
  event_.elements = fingerprint.count;
  event_.bytes_in = fingerprint.count * size_of(fingerprint.dtype);
  event_.op = fingerprint.op;
  event_.dtype = fingerprint.dtype;
  record(CollectiveState::kScheduled);
}

void Call::schedule_flight(const Tag& tag) {
  const Fingerprint& fingerprint = request_.fingerprint;
  FlightEntry entry;
  entry.group = fingerprint.group;
  entry.op = fingerprint.op;
  (entry.is_p2p() ? entry.p2p_seq_id : entry.collective_seq_id) = fingerprint.seq;
  entry.dtype = fingerprint.dtype;
  entry.elements_in = fingerprint.count;
  entry.elements_out = entry.is_p2p() ? fingerprint.count : request_.output.count;
  entry.peer = fingerprint.op == Op::kBroadcast ? fingerprint.root : request_.peer;
  entry.tag = tag.what;
  entry.unit = tag.unit;
  entry.time_created_ns = event_.time_created_ns;
  entry.timeout_ms = std::chrono::duration_cast<std::chrono::milliseconds>(observers_.timeout).count();
  flight_record_ = observers_.flight->scheduled(std::move(entry));
}

void Call::record(CollectiveState state) {
  if (observers_.recorder == nullptr) return;
  event_.state = state;
  observers_.recorder->collective(event_);
}

void Call::started() {
  event_.time_started_ns = now_ns();
  record(CollectiveState::kStarted);
  if (observers_.flight != nullptr) observers_.flight->started(flight_record_, event_.time_started_ns);
}

void Call::completed() {
  event_.bytes_sent = bytes_sent();
  end(CollectiveState::kCompleted, std::nullopt);
}

void Call::failed(Failure failure) { end(CollectiveState::kFailed, std::move(failure)); }

void Call::end(CollectiveState state, std::optional<Failure> failure) {
  event_.time_completed_ns = now_ns();
  record(state);
  if (observers_.flight != nullptr) {
    if (state == CollectiveState::kCompleted)
      observers_.flight->completed(flight_record_, event_.time_completed_ns);
    else
      observers_.flight->failed(flight_record_);
  }
  const std::lock_guard lock(mutex_);
  done_ = true;
  failure_ = std::move(failure);
  ended_.notify_all();
}

void Call::wait() {
  std::optional<WaitGraph::Blocked> blocked;  // before the lock: a cycle that it closes ends this very call
  const bool is_message = op() == Op::kSend || op() == Op::kRecv;
  if (observers_.waits != nullptr && !is_message && !done())
    blocked.emplace(*observers_.waits, rank(), observers_.group, request_.fingerprint);
  std::unique_lock lock(mutex_);
  if (!done_) {
    const WaitScope scope("the end of " + to_string(request_.fingerprint));
    const auto held = request_.hold.value_or(std::chrono::nanoseconds(0));
    const bool ended =
        ended_.wait_for(lock, stuck_limit(observers_.timeout) + held, [this] { return done_; });
    RINGSIDE_CHECK(ended, "a communication thread is stuck\n" << wait_report());
  }
  if (!failure_) return;
  const Fingerprint& call = request_.fingerprint;
  throw_error(*failure_, {request_.rank, call.group, call.seq, call.op, call.count, call.dtype});
}

bool Call::done() const {
  const std::lock_guard lock(mutex_);
  return done_;
}

}  // namespace ringside
