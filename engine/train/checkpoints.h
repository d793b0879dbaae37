// What a rank of a training saves and goes on from.
//
// Saved are its pieces of parameters, master copies and optimizer state by name, buffers, and the step. No
// more is needed for the same bits: which samples a step sees is a function of seed and step
// (data/sampler.h), as the learning rate is one of the step; the optimizer counts steps from the same number;
// no layer draws random numbers while it trains. A Task that keeps something between steps (training_batch)
// is not saved.
#pragma once

#include "rank_parts.h"
#include "ringside/checkpoint/load.h"
#include "ringside/checkpoint/save.h"

namespace ringside {

// UsageError for options out of range; InputError where the folder has checkpoints that the run would not
// resume from, but mix with its own.
void check_checkpoints(const TrainingConfig& config);

class RunCheckpoints {
 public:
  explicit RunCheckpoints(const RankParts& rank);

  // Collective, all three. The steps that had been taken by the run that it goes on from; 0: there is none,
  // and nothing was loaded. InputError where none is whole, where ranks see different folders, and where the
  // run differs in what it needs.
  int64_t resume();
  void after_step(int64_t step);
  void at_the_end(int64_t steps);

 private:
  int64_t smallest_of_all(int64_t own) const;
  void load(const Checkpoint& checkpoint);
  void save(int64_t steps);
  void write(RankFile& file);

  const RankParts rank_;
  const std::map<std::string, std::string> needs_;
  int64_t saved_ = 0;  // the step of the newest
};

}  // namespace ringside
