// Trainings whose bytes are held against what was predicted of them.
#pragma once

#include "ringside/train/trainer.h"

namespace ringside::inline training {

// Of a training that `control` pauses, steps and stops, here or over the processes that are its ranks.
TrainerHooks hooks_of(RunControl& control, std::shared_ptr<ProcessWiring> process = {});

// Of one section: predict_zero_run() of what was trained against what was counted. `observed`: with
// hooks.observe.
std::vector<LedgerRow> ledger_of(const Trace& trace, const std::string& section, const TrainingConfig& config,
                                 const std::shared_ptr<const Task>& task, const Interruption& interruption,
                                 bool observed = false);
std::vector<LedgerRow> ledger_of(const Trace& trace, const std::string& section, const TrainerConfig& config,
                                 const Dataset& dataset, const Interruption& interruption,
                                 bool observed = false);
void append(std::vector<LedgerRow>& ledger, const std::vector<LedgerRow>& more);

// Trains, and adds the section's ledger to `rows`, which the store is given; CancelledError, behind that,
// where the training was cancelled.
TrainResult train_and_book(const TrainingConfig& config, const std::shared_ptr<const Task>& task,
                           TraceStore& store, const std::string& section, const TrainerHooks& hooks,
                           TraceRows& rows);
TrainResult train_and_book(const TrainerConfig& config, const Dataset& dataset, TraceStore& store,
                           const std::string& section, const TrainerHooks& hooks, TraceRows& rows);

}  // namespace ringside::inline training
