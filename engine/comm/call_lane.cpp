#include <fmt/format.h>

#include <chrono>

#include "call.h"
#include "ringside/base/threads.h"

namespace ringside::inline comm {
namespace {

constexpr std::chrono::milliseconds kAskAgain{1};  // whether a device's stream has come to the end of a call

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
  if (const auto failure = call->not_finite())
    transport.break_off(*failure);
  else if (finishes(*call, transport.carry(call)))
    return call->completed();
  const std::string gone =
      fmt::format("rank {} destroyed its handle of {}", group_->rank(), group_->options.name);
  call->failed(transport.failure().value_or(Failure{Failure::Kind::kPeerLost, {group_->rank()}, gone}));
}

bool CallLane::finishes(const Call& call, const Transport::Outcome& outcome) {
  if (outcome.kind == Transport::Outcome::Kind::kDone) return wait_for_link(call, outcome);
  return outcome.kind == Transport::Outcome::Kind::kHandedOver && wait_until_settled(call);
}

// Until the simulated link has carried the bytes.
bool CallLane::wait_for_link(const Call& call, const Transport::Outcome& outcome) {
  const LinkModel& link = group_->options.link;
  if (!link.simulated()) return true;
  const int64_t hops_in_a_row = hops(call.asked().op, static_cast<int>(group_->ranks.size()));
  const std::chrono::duration<double> carried(link.seconds(hops_in_a_row, outcome.most_bytes_sent));
  const WaitScope scope("the simulated link " + link.name);
  return group_->sleep_until(outcome.start + std::chrono::ceil<std::chrono::nanoseconds>(carried));
}

bool CallLane::wait_until_settled(const Call& call) {
  while (!group_->transport->settled(call)) {
    const TimePoint now = SteadyClock::now();
    if (now >= call.deadline()) group_->transport->break_off(call.timed_out({}));
    if (!group_->sleep_until(now + kAskAgain)) return false;  // broken, or left
  }
  return true;
}

}  // namespace ringside::inline comm
