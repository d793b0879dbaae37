// A session owns one run of one lesson: its thread, its control, its trace.
// GUI, terminal and tests all run lessons through it.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

#include "ringside/lesson/lesson.h"

namespace ringside::inline kit {

class Session {
 public:
  // Starts at once; `lesson` outlives the session. process: of RunContext. join: makes it, on the run's own
  // thread, where it may wait for others; what it throws is the run's error.
  Session(const Lesson& lesson, Config config, std::shared_ptr<ProcessWiring> process = nullptr);
  using Join = std::function<std::shared_ptr<ProcessWiring>()>;
  Session(const Lesson& lesson, Config config, Join join);
  // Cancels and joins: returns once the run has come to its next step boundary
  // (paused or not), or to the deadline of the collective that it waits in.
  ~Session();
  Session& operator=(Session&&) = delete;

  RunControl& control() { return control_; }
  Progress progress() const;
  Trace snapshot() const { return store_->snapshot(); }
  const Config& config() const { return config_; }
  const Lesson& lesson() const { return lesson_; }

  bool finished() const { return finished_.load(); }
  bool wait_for(std::chrono::milliseconds time);  // true once finished
  // The trace with its rows: the run's own thread has judged claims and predictions before it finished,
  // so that nobody who asks waits. Rethrows the run's error, or else the judging's, except
  // CancelledError (the trace then says complete() == false). InvariantError while it runs.
  Trace result() const;

 private:
  void run();
  std::exception_ptr judge_run();  // what judging threw, if anything

  const Lesson& lesson_;
  Config config_;
  const Join join_;
  RunControl control_;
  std::shared_ptr<TraceStore> store_;
  mutable std::mutex mutex_;
  std::condition_variable done_;
  Progress progress_;
  std::exception_ptr error_;
  std::atomic<bool> finished_{false};
  std::thread thread_;  // last: starts when everything else stands
};

}  // namespace ringside::inline kit
