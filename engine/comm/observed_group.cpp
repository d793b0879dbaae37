#include "ringside/comm/observed_group.h"

#include <fmt/format.h>

#include "call.h"
#include "ringside/base/check.h"
#include "ringside/base/error.h"
#include "ringside/comm/accumulator.h"

namespace ringside::inline comm {

std::vector<int> GroupState::ranks_at(const std::vector<int>& places) const {
  std::vector<int> result;
  for (const int at : places) result.push_back(rank_at(at));
  return result;
}

// All flight recorders of the group freeze as it breaks, so that a dump shows how things stood then.
void GroupState::broke(const Failure& how) {
  if (observers.flight != nullptr)
    observers.flight->freeze(
        FlightBreak{options.name, kind_name(how.kind), how.ranks, how.text.substr(0, how.text.find('\n'))});
  const std::lock_guard lock(mutex);
  failure = how;
  changed.notify_all();
}

void GroupState::leave() {
  {
    const std::lock_guard lock(mutex);
    left = true;
    changed.notify_all();
  }
  transport->leave();
}

bool GroupState::sleep_until(TimePoint end) {
  std::unique_lock lock(mutex);
  return !changed.wait_until(lock, end, [this] { return failure || left; });
}

ObservedGroup::ObservedGroup(const GroupOptions& options, std::vector<int> ranks, int place,
                             const Observers& observers, std::unique_ptr<Transport> transport)
    : ProcessGroup(options.name, ranks, place),
      state_(new GroupState{options, ranks, place, observers, std::move(transport)}) {
  RINGSIDE_CHECK_GE(options.timeout.count(), 1);
  RINGSIDE_CHECK_LE(options.timeout.count(), kLongestTimeout.count());
  const auto check_rank = [&](int of, const char* what) {
    RINGSIDE_CHECK(of == world_rank(), "group " << options.name << ": rank " << world_rank()
                                                << " was given the " << what << " of rank " << of);
  };
  if (observers.recorder != nullptr) check_rank(observers.recorder->rank(), "recorder");
  if (observers.flight != nullptr) {
    check_rank(observers.flight->rank(), "flight recorder");
    observers.flight->join({options.name, state_->transport->description(), std::move(ranks)});
  }
  // leave() takes the listener away before the state can go.
  state_->transport->on_broken([state = state_.get()](const Failure& failure) { state->broke(failure); });
}

ObservedGroup::~ObservedGroup() { state_->leave(); }

WorkPtr ObservedGroup::start(Collective call) {
  check(call);
  // What computes the buffer is launched, and may not be over.
  std::function<bool()> computed;
  if (payload(call).device != Device::kCpu && device_memory() != nullptr) computed = device_memory()->mark();
  const std::lock_guard lock(mutex_);
  CallLane& lane = lane_of(call);
  CallRecord record = record_of(call, call.again ? lane.last_seq() : lane.next_seq());
  const auto work = std::make_shared<Call>(state_, std::move(call), std::move(record), std::move(computed));
  lane.push(work);
  return work;
}

void ObservedGroup::abort(const std::string& reason) {
  state_->transport->break_off(
      {Failure::Kind::kPeerLost, {world_rank()}, fmt::format("rank {} aborted: {}", world_rank(), reason)});
}

void ObservedGroup::check(const Collective& call) const {
  check_arguments(call, *this);
  if (!state_->transport->reaches(payload(call).device))
    throw UsageError("rank {}: group {}: {} do not move memory of a device", world_rank(), name(),
                     state_->transport->description());
  check_frames(*state_->transport, call, size());
}

CallRecord ObservedGroup::record_of(const Collective& call, int64_t seq) const {
  const ConstView what = payload(call);
  return {.group = name(),
          .seq = seq,
          .op = call.op,
          .dtype = what.dtype,
          .elements = what.count,
          .root = call.op == Op::kSend ? world_rank() : state_->rank_at(call.peer),
          .reduce = call.reduce,
          .rank = world_rank()};
}

CallLane& ObservedGroup::lane_of(const Collective& call) {
  const bool message = is_p2p(call.op);
  std::shared_ptr<CallLane>& lane =
      lanes_[message ? std::pair(call.op, call.peer) : std::pair(Op::kBarrier, -1)];
  if (!lane) {
    std::string name = fmt::format("rank{}.comm", world_rank());
    if (message) name += fmt::format("{}{}", call.op == Op::kSend ? ">" : "<", state_->rank_at(call.peer));
    lane = std::make_shared<CallLane>(state_, name);
  }
  return *lane;
}

}  // namespace ringside::inline comm
