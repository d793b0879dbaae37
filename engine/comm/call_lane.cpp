#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "call.h"
#include "ringside/base/error.h"
#include "ringside/base/threads.h"

namespace ringside::inline comm {
namespace {

// Between two looks at a device's stream.
constexpr std::chrono::microseconds kFirstLook{5}, kLongestLook{50};

}  // namespace

CallLane::CallLane(std::shared_ptr<GroupState> group, const std::string& thread_name)
    : group_(std::move(group)), thread_([this, thread_name](const std::stop_token& stop) {
        set_thread_name(thread_name);
        serve(stop);
      }) {}

void CallLane::push(std::shared_ptr<Call> call) {
  call->queued_in(shared_from_this());
  const bool wakes = !call->asked().waited_for;
  {
    const std::lock_guard lock(mutex_);
    queue_.push_back(std::move(call));
  }
  if (wakes) changed_.notify_one();
}

void CallLane::carry_here(const std::shared_ptr<Call>& call) noexcept {
  {
    const std::lock_guard lock(mutex_);
    if (is_carrying_ || queue_.empty()) return;
    if (queue_.front() != call || payload(call->asked()).device != Device::kCpu) return changed_.notify_one();
    queue_.pop_front();
    is_carrying_ = true;
  }
  call->carried_by_waiter(true);
  carry(call);
  call->carried_by_waiter(false);
  const std::lock_guard lock(mutex_);
  is_carrying_ = false;
  if (!queue_.empty()) changed_.notify_one();
}

void CallLane::serve(const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  const auto has_next = [this] { return !is_carrying_ && !queue_.empty(); };
  while (changed_.wait(lock, stop, has_next)) {  // idle: nothing could be late
    const std::shared_ptr<Call> call = std::move(queue_.front());
    queue_.pop_front();
    is_carrying_ = true;
    lock.unlock();
    carry(call);
    lock.lock();
    is_carrying_ = false;
  }
}

void CallLane::carry(const std::shared_ptr<Call>& call) {
  call->started();
  Transport& transport = *group_->transport;
  if (wait_for_device(*call)) {
    if (const auto failure = call->not_finite())
      transport.break_off(*failure);
    else if (const auto outcome = transport.carry(call); outcome.done && wait_for_link(*call, outcome))
      return call->completed();
  }
  const std::string gone =
      fmt::format("rank {} destroyed its handle of {}", group_->rank(), group_->options.name);
  call->failed(transport.failure().value_or(Failure{Failure::Kind::kPeerLost, {group_->rank()}, gone}));
}

// Until the rank's stream has computed what the call moves. The rank's thread does not wait for it: it
// launches what comes next. No peer touches the buffer before, since this rank has not met them. False where
// the group broke, or was left, before; the deadline breaks it.
bool CallLane::wait_for_device(const Call& call) try {
  if (call.is_computed()) return true;
  const WaitScope scope("the device, before " + to_string(call.record()));
  for (auto pause = kFirstLook; !call.is_computed(); pause = std::min(2 * pause, kLongestLook)) {
    const TimePoint now = SteadyClock::now();
    if (now >= call.deadline()) group_->transport->break_off(call.timed_out({group_->place}));
    if (!group_->sleep_until(now + pause)) return false;
  }
  return true;
} catch (const Error& error) {
  group_->transport->break_off(
      {Failure::Kind::kPeerLost, {group_->rank()}, fmt::format("rank {}: {}", group_->rank(), error.what())});
  return false;
}

// Until the simulated link has carried the bytes.
bool CallLane::wait_for_link(const Call& call, const Transport::Outcome& outcome) {
  const LinkModel& link = group_->options.link;
  if (!link.simulated()) return true;
  const int64_t hops_in_a_row = hops(call.asked().op, int(group_->ranks.size()));
  const std::chrono::duration<double> carried(link.seconds(hops_in_a_row, outcome.most_bytes_sent));
  const WaitScope scope("the simulated link " + link.name);
  return group_->sleep_until(outcome.start + std::chrono::ceil<std::chrono::nanoseconds>(carried));
}

}  // namespace ringside::inline comm
