// The process groups of one run: made, wrapped, and broken off together.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "ringside/train/trainer.h"

namespace ringside {

// A rank's handles; one group may be both. They outlive the trainer.
struct RankGroups {
  ProcessGroup& training;  // gradients, norm, parameters, the initial broadcast
  ProcessGroup& common;    // metrics, evaluation, control
};

class RunGroups {
 public:
  RunGroups(const TrainerConfig& config, const std::vector<Recorder*>& recorders,
            const std::vector<FlightRecorder*>& flights, const TrainerHooks& hooks);

  RankGroups of(int rank) const;
  // Every group of that rank, so that nobody waits for it in any; and whoever sleeps by plan wakes up.
  void break_off(int rank, const std::string& reason);

 private:
  FaultInjector* faults_;
  std::vector<std::vector<std::unique_ptr<ProcessGroup>>> handles_;  // [group][rank]
};

}  // namespace ringside
