// One process that trains as N ranks would: it runs every rank's micro-batches
// one after the other on one model, and adds their gradients in rank order. It
// shares the model and the optimizer's kernel with the trainer and nothing else:
// no process group, no shard, no bucket. The reference of the proof matrix.
#pragma once

#include "ringside/train/bit_compare.h"

namespace ringside::inline training {

// With accumulation the order of the sums is a choice, and bits depend on it. With replicas each group of
// ranks sums in that order, and the groups' sums are added last.
enum class SumOrder {
  kAccumulateThenReduce,  // each rank adds up its micro-batches, then ranks are added: stages 0, 1, no_sync
  kReduceThenAccumulate   // ranks are added in every micro-batch, then those sums: stages 2 and 3
};

struct EmulationResult {
  std::vector<double> loss;       // (steps)
  std::string parameters_sha256;  // as TrainResult has it
};

// Sees what one rank brings to one sum over the ranks: its gradient of the micro-batches from `micro` on, one
// of them or all, as the order of sums has it. Steps count from 1.
using ContributionObserver =
    std::function<void(int64_t step, int64_t micro, int rank, const std::string& name, ConstView gradient)>;

// precision must be fp32: what bf16 rounds on the wire is the distributed run's business.
EmulationResult emulate(const TrainingConfig& config, const Task& task, SumOrder order,
                        const ParameterObserver& observe = {}, const ContributionObserver& contributed = {});
EmulationResult emulate(const TrainerConfig& config, const Dataset& dataset, SumOrder order,
                        const ParameterObserver& observe = {}, const ContributionObserver& contributed = {});

// The bits that a run with this configuration must have; without accumulation the order is all the same.
BitReference reference_bits(const TrainerConfig& config, const Dataset& dataset,
                            SumOrder order = SumOrder::kAccumulateThenReduce);

}  // namespace ringside::inline training
