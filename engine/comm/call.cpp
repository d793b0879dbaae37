#include "call.h"

#include <chrono>

#include "ringside/base/check.h"
#include "ringside/base/clock.h"
#include "ringside/base/threads.h"

namespace ringside {
namespace {

// The communication thread ends every call by its own deadline; this limit only catches a
// communication thread that is stuck itself.
constexpr auto kStuckLimit = std::chrono::hours(1);

}  // namespace

Call::Call(Request request, Recorder* recorder, const Tag& tag)
    : request_(std::move(request)), recorder_(recorder) {
  if (recorder_ == nullptr) return;
  const Fingerprint& fingerprint = request_.fingerprint;
  event_.group = recorder_->name(fingerprint.group);
  event_.tag = recorder_->name(tag.what);
  event_.unit = recorder_->name(tag.unit);
  event_.rank = request_.rank;
  event_.peer = fingerprint.op == Op::kBroadcast ? fingerprint.root : request_.peer;
  event_.collective_seq_id = fingerprint.seq;
  event_.elements = fingerprint.count;
  event_.bytes_in = fingerprint.count * size_of(fingerprint.dtype);
  event_.time_created_ns = now_ns();
  event_.op = fingerprint.op;
  event_.dtype = fingerprint.dtype;
  record(CollectiveState::kScheduled);
}

void Call::record(CollectiveState state) {
  if (recorder_ == nullptr) return;
  event_.state = state;
  recorder_->collective(event_);
}

void Call::started() {
  event_.time_started_ns = now_ns();
  record(CollectiveState::kStarted);
}

void Call::completed() {
  event_.bytes_sent = bytes_sent();
  end(CollectiveState::kCompleted, std::nullopt);
}

void Call::failed(Failure failure) { end(CollectiveState::kFailed, std::move(failure)); }

void Call::end(CollectiveState state, std::optional<Failure> failure) {
  event_.time_completed_ns = now_ns();
  record(state);
  const std::lock_guard lock(mutex_);
  done_ = true;
  failure_ = std::move(failure);
  ended_.notify_all();
}

void Call::wait() {
  std::unique_lock lock(mutex_);
  if (!done_) {
    const WaitScope scope("the end of " + to_string(request_.fingerprint));
    const bool ended = ended_.wait_for(lock, kStuckLimit, [this] { return done_; });
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
