// How a front end steers a run: pause, step, resume, cancel. A run asks at each step boundary. With several
// ranks, rank 0 asks and tells the others in a collective, so that all stop at the same step
// (comm/step_boundary.h).
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>

namespace ringside::inline base {

class RunControl {
 public:
  enum class Decision : int64_t { kContinue = 0, kPause = 1, kCancel = 2 };

  // The watcher's side; safe from any thread.
  void pause();
  void resume();
  void step();    // while paused: let exactly one step pass
  void cancel();  // for good
  bool cancelled() const { return cancelled_.load(); }

  // The run's side. decide() never blocks; a granted single step is consumed by it.
  Decision decide();
  // Returns on resume, step or cancel, or after `at_most`: the other ranks sit in a collective
  // meanwhile, whose deadline a long pause must not meet.
  void wait_while_paused(std::chrono::milliseconds at_most = std::chrono::milliseconds(250));
  // Blocks while paused, without a deadline; false: cancelled. Only for a moment when no rank waits in a
  // collective.
  bool may_proceed();
  // What a run of one thread calls before each step: may_proceed(), and CancelledError where it may not.
  void pass_step();

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  bool paused_ = false;
  int64_t steps_granted_ = 0;
  std::atomic<bool> cancelled_{false};
};

}  // namespace ringside::inline base
