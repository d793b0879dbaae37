// Carries out a fault plan: wraps the process groups of every rank and strikes where the plan says.
#pragma once

#include <chrono>
#include <condition_variable>
#include <exception>
#include <memory>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "ringside/comm/process_group.h"
#include "ringside/faults/plan.h"

namespace ringside {

// What a killed rank unwinds with. It is no error of the run. Whoever runs the rank aborts its groups, as an
// operating system closes the connections of a process that died; where the kill is silent nobody aborts
// them.
class RankKilled : public std::exception {
 public:
  RankKilled(int rank, bool silent)
      : silent_(silent), text_("rank " + std::to_string(rank) + " was killed") {}
  bool silent() const { return silent_; }
  const char* what() const noexcept override { return text_.c_str(); }

 private:
  bool silent_;
  std::string text_;
};

// What a rank throws that the plan says should raise: "rank 2: planned fault at step 5".
struct PlannedError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// One a run, shared by its ranks. Thread-safe.
class FaultInjector {
 public:
  FaultInjector(FaultPlan plan, int ranks);  // UsageError where a fault names a rank that does not exist

  // A rank's handle as its code shall see it. The injector outlives it. A plan names ranks of the world.
  std::unique_ptr<ProcessGroup> wrap(std::unique_ptr<ProcessGroup> group);
  void begin_step(int rank, int64_t step);  // each rank calls it before its step

  // Whether the plan has such a fault in that step: what is wrong with a loop, the loop carries out itself.
  bool plans(FaultKind kind, int64_t step, std::optional<int> rank = {}) const;  // of any rank, or of this

  void wake();             // every sleep ends, now and later: a group broke, or the run is over
  int64_t struck() const;  // faults that were carried out so far

  // For the wrapped groups.
  const Fault* next(int rank, const std::string& group, const Tag& tag);  // that strikes this call, or null
  void sleep(std::chrono::nanoseconds time);                              // at most; wake() ends it
  void count_strike();

 private:
  const FaultPlan plan_;
  mutable std::mutex mutex_;
  std::condition_variable woken_;
  bool awake_ = false;
  int64_t struck_ = 0;
  std::vector<int64_t> step_;     // (rank)
  std::vector<int64_t> matched_;  // (fault) calls of its rank in its step that it matched so far
};

}  // namespace ringside
