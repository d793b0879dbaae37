// Carries out a fault plan: wraps the process groups of every rank and strikes where the plan says.
#pragma once

#include <condition_variable>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <vector>

#include "ringside/comm/process_group.h"
#include "ringside/faults/plan.h"

namespace ringside {

// What a killed rank unwinds with. It is no error of the run: whoever runs the rank returns.
struct RankKilled {
  int rank = 0;
  bool silent = false;  // the groups must not be told
};

// What a rank throws that the plan says should raise: "rank 2: planned fault at step 5".
struct PlannedError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// One a run, shared by its ranks.
class FaultInjector {
 public:
  FaultInjector(FaultPlan plan, int ranks);

  // A rank's handle as its code shall see it. The injector outlives it.
  std::unique_ptr<ProcessGroup> wrap(std::unique_ptr<ProcessGroup> group);
  void begin_step(int rank, int64_t step);  // each rank calls it before its step

  // Of the loop around the collectives.
  bool has_one_batch_more(int rank, int64_t step) const;
  bool somebody_evaluates_alone(int64_t step) const;
  bool evaluates_alone(int rank, int64_t step) const;

  void wake();             // every sleep ends, now and later: a group broke, or the run is over
  int64_t struck() const;  // faults that were carried out so far

 private:
  friend class FaultyGroup;
  struct Rank;
  const Fault* next(int rank, const std::string& group, const Tag& tag);
  void sleep(std::chrono::nanoseconds time);
  void sleep_until_woken();

  const FaultPlan plan_;
  mutable std::mutex mutex_;
  std::condition_variable woken_;
  bool awake_ = false;
  int64_t struck_ = 0;
  std::vector<int64_t> step_;                 // (rank)
  std::vector<std::vector<int64_t>> counts_;  // (fault) matching calls of its rank in its step so far
};

}  // namespace ringside
