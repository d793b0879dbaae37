#include "ringside/train/booked.h"

#include "ringside/ledger/ledger.h"

namespace ringside {

std::vector<LedgerRow> ledger_of(const Trace& trace, const std::string& section, const TrainerConfig& config,
                                 const Dataset& dataset, const Interruption& interruption, bool observed) {
  return reconcile(predict_zero_run(planned_run(config, dataset, interruption, observed)),
                   count_rows(trace, *trace.find(section)));
}

void append(std::vector<LedgerRow>& ledger, const std::vector<LedgerRow>& more) {
  ledger.insert(ledger.end(), more.begin(), more.end());
}

TrainResult train_and_book(const TrainerConfig& config, const Dataset& dataset, TraceStore& store,
                           const std::string& section, const TrainerHooks& hooks, TraceRows& rows) {
  TrainResult result = train(config, dataset, store, section, hooks);
  const bool observed = static_cast<bool>(hooks.observe);
  append(rows.ledger, ledger_of(store.snapshot(), section, config, dataset, result.interruption, observed));
  store.set_rows(rows);
  if (!result.complete) throw CancelledError();
  return result;
}

}  // namespace ringside
