#include "ringside/base/run_control.h"

#include "ringside/base/error.h"

namespace ringside::inline base {

void RunControl::pause() {
  const std::lock_guard lock(mutex_);
  paused_ = true;
}

void RunControl::resume() {
  const std::lock_guard lock(mutex_);
  paused_ = false;
  steps_granted_ = 0;
  changed_.notify_all();
}

void RunControl::step() {
  const std::lock_guard lock(mutex_);
  if (!paused_) return;
  ++steps_granted_;
  changed_.notify_all();
}

void RunControl::cancel() {
  const std::lock_guard lock(mutex_);
  cancelled_.store(true);
  changed_.notify_all();
}

RunControl::Decision RunControl::decide() {
  const std::lock_guard lock(mutex_);
  if (cancelled_.load()) return Decision::kCancel;
  if (!paused_) return Decision::kContinue;
  if (steps_granted_ == 0) return Decision::kPause;
  --steps_granted_;
  return Decision::kContinue;
}

void RunControl::wait_while_paused(std::chrono::milliseconds at_most) {
  std::unique_lock lock(mutex_);
  changed_.wait_for(lock, at_most, [this] { return !paused_ || steps_granted_ > 0 || cancelled_.load(); });
}

bool RunControl::may_proceed() {
  Decision decision = decide();
  for (; decision == Decision::kPause; decision = decide()) wait_while_paused();
  return decision == Decision::kContinue;
}

void RunControl::pass_step() {
  if (!may_proceed()) throw CancelledError();
}

}  // namespace ringside::inline base
