#include "ringside/train/booked.h"

#include "ringside/ledger/ledger.h"
#include "ringside/nn/task.h"

namespace ringside::inline training {

TrainerHooks hooks_of(RunControl& control, std::shared_ptr<ProcessWiring> process) {
  TrainerHooks hooks;
  hooks.control = &control;
  hooks.process = std::move(process);
  return hooks;
}

std::vector<LedgerRow> ledger_of(const Trace& trace, const std::string& section, const TrainingConfig& config,
                                 const std::shared_ptr<const Task>& task, const Interruption& interruption,
                                 bool observed) {
  return reconcile(predict_zero_run(planned_run(config, task, interruption, observed)),
                   count_rows(trace, *trace.find(section)));
}

std::vector<LedgerRow> ledger_of(const Trace& trace, const std::string& section, const TrainerConfig& config,
                                 const Dataset& dataset, const Interruption& interruption, bool observed) {
  return ledger_of(trace, section, config, classifier_task(config, dataset), interruption, observed);
}

void append(std::vector<LedgerRow>& ledger, const std::vector<LedgerRow>& more) {
  ledger.insert(ledger.end(), more.begin(), more.end());
}

TrainResult train_and_book(const TrainingConfig& config, const std::shared_ptr<const Task>& task,
                           TraceStore& store, const std::string& section, const TrainerHooks& hooks,
                           TraceRows& rows) {
  TrainResult result = train(config, *task, store, section, hooks);
  const bool observed = static_cast<bool>(hooks.observe);
  append(rows.ledger, ledger_of(store.snapshot(), section, config, task, result.interruption, observed));
  store.set_rows(rows);
  if (!result.complete) throw CancelledError();
  return result;
}

TrainResult train_and_book(const TrainerConfig& config, const Dataset& dataset, TraceStore& store,
                           const std::string& section, const TrainerHooks& hooks, TraceRows& rows) {
  return train_and_book(config, classifier_task(config, dataset), store, section, hooks, rows);
}

}  // namespace ringside::inline training
