// A training of a few thousand parameters, odd sizes everywhere, and what the tests ask of its trace.
#pragma once

#include <sstream>

#include "catch.h"
#include "ringside/ledger/ledger.h"
#include "ringside/train/emulation.h"
#include "ringside/train/trainer.h"

namespace ringside::testing {

// 7 held-out sequences: fewer than eight ranks, and no batch size divides them.
inline Dataset tiny_data() {
  DataOptions options;
  options.max_tokens = 9;
  options.synthetic_classes = 3;
  options.synthetic_train = 41;
  options.synthetic_test = 7;
  return load_dataset(options);
}

// Batches of 5 sequences: uneven over 2, 3 and 4 ranks, fewer than 8.
inline TrainerConfig tiny_config(int ranks, int stage) {
  TrainerConfig config;
  config.model = {.vocabulary = 259,
                  .hidden = 12,
                  .heads = 2,
                  .kv_heads = 1,
                  .intermediate = 15,
                  .layers = 1,
                  .classes = 3,
                  .head_bias = true};
  config.max_tokens = 9;
  config.ranks = ranks;
  config.stage = stage;
  config.precision = Precision::kFloat32;
  config.learning_rate = 0.01;
  config.clip_norm = 0.3;
  config.bucket_elements = 500;
  config.batch = 5;
  config.steps = 3;
  config.evaluate_every = -1;
  config.evaluation_rows = 2;
  config.seed = 7;
  return config;
}

// Every option that decides how it is distributed, as its name and value.
inline std::string describe(const TrainerConfig& config) {
  std::ostringstream text;
  text << config.ranks << " ranks, " << config.optimizer.name << ", norm "
       << texts(config.model.norm)[static_cast<size_t>(config.model.norm)] << ", batch " << config.batch
       << (config.model.freeze_embedding ? ", frozen embedding" : "")
       << (config.two_groups ? ", two groups" : "");
  visit_fields(static_cast<const Distribution&>(config), [&](const Field& field, const auto& value) {
    text << ", " << field.name << "=";
    if constexpr (std::is_enum_v<std::remove_cvref_t<decltype(value)>>)
      text << to_string(value);
    else
      text << value;
  });
  return text.str();
}

// A run with its ledger settled, and the first bit that is not the reference's.
struct Audit {
  TrainResult result;
  std::vector<LedgerRow> ledger;
  std::optional<Difference> difference;
  std::shared_ptr<TraceStore> store = TraceStore::create("test");

  int64_t unexplained() const { return unexplained_bytes(ledger); }
  // "", or the first row that does not add up.
  std::string ledger_problem() const {
    for (const LedgerRow& row : ledger) {
      if (row.unexplained() == 0) continue;
      return row.what + " of rank " + std::to_string(row.rank) + ", " + row.category + " " + row.at + row.op +
             ": " + std::to_string(row.unexplained()) + " bytes unexplained";
    }
    return "";
  }
  std::string bit_problem() const { return difference ? to_string(*difference) : ""; }
};

inline const LedgerRow& row_of(const Audit& run, int rank, const std::string& category,
                               const std::string& at_or_op) {
  for (const LedgerRow& row : run.ledger)
    if (row.rank == rank && row.category == category && row.at + row.op == at_or_op) return row;
  throw InvariantError("no row " + category + " " + at_or_op);
}

inline Audit audit(const TrainingConfig& config, const std::shared_ptr<const Task>& task,
                   TrainerHooks hooks = {}, const BitReference* reference = nullptr) {
  Audit audit;
  std::optional<BitReference::Comparison> comparison;
  if (reference != nullptr) hooks.observe = comparison.emplace(*reference).observer();
  audit.result = train(config, *task, *audit.store, "run", hooks);
  const Trace trace = audit.store->snapshot();
  audit.ledger =
      reconcile(predict_zero_run(planned_run(config, task, audit.result.interruption, reference != nullptr)),
                count_rows(trace, *trace.find("run")));
  if (comparison) audit.difference = comparison->first_difference();
  return audit;
}
inline Audit audit(const TrainerConfig& config, const Dataset& dataset, TrainerHooks hooks = {},
                   const BitReference* reference = nullptr) {
  return audit(config, classifier_task(config, dataset), std::move(hooks), reference);
}

// Every byte explained, one hash on all ranks; against a reference the same bits, too.
inline Audit check_settled(const TrainerConfig& config, const Dataset& data,
                           const BitReference* reference = nullptr) {
  INFO(describe(config));
  const Audit run = audit(config, data, {}, reference);
  CHECK(run.bit_problem() == "");
  CHECK(run.ledger_problem() == "");
  CHECK(run.result.ranks_agree);
  CHECK(run.result.complete);
  if (config.evaluate_every >= 0) CHECK(run.result.evaluated == std::ssize(data.test));
  return run;
}
inline Audit check_bits(const TrainerConfig& config, const Dataset& data, const BitReference& reference) {
  return check_settled(config, data, &reference);
}

}  // namespace ringside::testing
