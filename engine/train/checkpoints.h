// What a rank of a training saves and goes on from.
//
// Saved are its pieces of parameters, master copies and optimizer state by name, buffers, and the step. The
// rest follows from seed and step: which samples a step sees (data/sampler.h), what dropout draws
// (nn/dropout.h), the learning rate, the optimizer's count. What a Task keeps between steps is not saved: it
// says which steps need it (Task::steps_of_a_batch), and a run that is cancelled among them saves nothing.
#pragma once

#include <future>

#include "ringside/checkpoint/load.h"
#include "ringside/checkpoint/save.h"
#include "ringside/trace/training_rows.h"
#include "ringside/train/early_stop.h"
#include "run_groups.h"
#include "state_on_disk.h"

namespace ringside::inline training {

// UsageError for options out of range, or saves where the Task keeps what is not saved; CheckpointError where
// the folder has checkpoints that the run would not resume from, but mix with its own.
void check_checkpoints(const TrainingConfig& config, const Task& task);

class RunCheckpoints {
 public:
  explicit RunCheckpoints(const RankParts& rank);

  // Collective, all four. The steps that had been taken by the run that it goes on from; 0: there is none,
  // and nothing was loaded. CheckpointError where none is whole, where ranks see different folders, and where
  // the run differs in what it needs.
  int64_t resume(EarlyStop& watch);
  void after_step(int64_t step, const EarlyStop& watch);
  void at_the_end(int64_t steps, const EarlyStop& watch);
  void keep_best(int64_t steps, const EarlyStop& watch);
  void settle();  // the save before is published; throws what went wrong with it

  // Neither is collective. The second throws what went wrong on this rank's own writing thread: the peer that
  // was lost may have been lost for that.
  StepNumbers numbers(int64_t step) const;
  void throw_own_error();

 private:
  int64_t smallest_of_all(int64_t own) const;
  void load(const Checkpoint& checkpoint);
  void fill(const StateOnDisk& state, const StatePiece& piece) const;
  void fill_buffers(const StateOnDisk& state) const;
  struct Place {  // of one save
    std::string folder;
    int64_t keep = 0;
    std::map<std::string, std::string> watched{};
  };
  void save_due(int64_t steps, const EarlyStop& watch);
  void save(int64_t steps, const Place& place);
  void for_each_piece(const std::function<void(const StatePiece&)>& take) const;  // that this rank writes
  using Meet = std::function<void(const char* what)>;
  int64_t write(int64_t steps, const Place& place, const std::function<void(RankFile&)>& fill,
                const Meet& meet) const;  // bytes
  void write_copy(CheckpointRow row, const Place& place, int64_t start_ns) const;

  const RankParts rank_;
  const std::map<std::string, std::string> needs_;
  int64_t saved_ = 0;    // the step of the newest
  int64_t resumed_ = 0;  // that this run began with
  StateCopy copy_;
  std::future<void> writing_;  // a thread that reads the copy: the last member
};

}  // namespace ringside::inline training
