// Carries out a fault plan: wraps the process groups of every rank and strikes where the plan says.
#pragma once

#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "ringside/comm/process_group.h"
#include "ringside/faults/plan.h"

namespace ringside::inline faults {

// Thrown in a killed rank; it is no error of the run. The code that runs the rank then aborts its groups, as
// an operating system closes the connections of a process that died. After a silent kill nobody aborts them.
struct RankKilled : std::runtime_error {
  RankKilled(int rank, bool is_silent)
      : std::runtime_error("rank " + std::to_string(rank) + " was killed"), silent(is_silent) {}
  const bool silent;
};

// Thrown in a rank where the plan says "raise": "rank 2: planned fault at step 5".
struct PlannedError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// The ranks of a run share one. Thread-safe.
class FaultInjector {
 public:
  FaultInjector(FaultPlan plan, int ranks);  // UsageError where a fault names a rank that does not exist

  // The handle that a rank's code is to use. It refers to the injector. A plan names ranks of the world.
  std::unique_ptr<ProcessGroup> wrap(std::unique_ptr<ProcessGroup> group);
  void begin_step(int rank, int64_t step);  // each rank calls it before its step

  // Whether the plan has such a fault in that step: what is wrong with a loop, the loop carries out itself.
  bool plans(FaultKind kind, int64_t step, std::optional<int> rank = {}) const;  // of any rank, or of this

  void wake();             // ends every sleep, now and later: a group broke, or the run is over
  int64_t struck() const;  // how many faults were carried out so far

  // For the wrapped groups. The fault that strikes this call, which counts as carried out; or null.
  const Fault* next(int rank, const std::string& group, const Tag& tag);
  void sleep(std::chrono::nanoseconds time);  // at most; wake() ends it

 private:
  const FaultPlan plan_;
  mutable std::mutex mutex_;
  std::condition_variable woken_;
  bool awake_ = false;
  int64_t struck_ = 0;
  std::vector<int64_t> step_;                  // (rank)
  std::vector<std::vector<int64_t>> matched_;  // (fault, rank) how many calls of its step it has matched
};

}  // namespace ringside::inline faults
