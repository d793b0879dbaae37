// The classifier under every optimizer: a sweep of learning rates, a race at the best of them, and what two
// ranks that share the state send.
#include <cmath>

#include "parts.h"
#include "ringside/ledger/ledger.h"
#include "ringside/lesson/tr.h"
#include "ringside/train/booked.h"
#include "ringside/train/in_turns.h"
#include "ringside/train/rate_sweep.h"

namespace ringside::lessons::optimizers {
namespace {

constexpr int64_t kClasses = 8, kTokens = 6;
constexpr int kHalfDecades = 9;  // learning rates from 1e-4 to 1
constexpr double kGood = 0.8;    // of the fall of the loss at the best of them
constexpr int64_t kSharedSteps = 2;

TrainerConfig small_training(const Config& config, const Rule& rule) {
  TrainerConfig trainer;
  trainer.model = {
      .hidden = 16, .heads = 2, .kv_heads = 1, .intermediate = 32, .layers = 1, .classes = kClasses};
  trainer.max_tokens = kTokens;
  trainer.ranks = 1;
  trainer.precision = Precision::kFloat32;
  trainer.schedule = {.name = "constant", .warmup = 0};
  trainer.steps = config.integer("training");
  trainer.evaluation_rows = 256;
  trainer.clip_norm = 0;
  trainer.seed = static_cast<uint64_t>(config.integer("seed"));
  trainer.optimizer = rule.config;
  return trainer;
}

// Stage 1 is a section of the run: what its ranks keep and send.
StateRow shared(const Config& config, const Rule& rule, const Dataset& data, TraceStore& shown) {
  constexpr const char* kSees[] = {kElement, "a tensor", "a matrix", "everything"};
  StateRow row{.rule = rule.name};
  row.sees = kSees[size_t(find_optimizer(rule.config.name).granularity)];
  std::string first_hash;
  double parameters = 1, sent[2] = {};
  for (const int stage : {0, 1}) {
    TrainerConfig trainer = small_training(config, rule);
    trainer.ranks = 2;
    trainer.stage = stage;
    trainer.steps = kSharedSteps;
    const auto hidden = TraceStore::create("shared");
    TraceStore& store = stage == 1 ? shown : *hidden;
    const std::string section = tr("{} on two ranks", rule.name);
    try {
      const std::string hash = train(trainer, data, store, section).parameters_sha256;
      row.same_bits = hash == std::exchange(first_hash, hash);
    } catch (const UsageError& error) {
      row.refused = error.what();
      break;
    }
    for (const LedgerRow& one : ledger_of(store.snapshot(), section, trainer, data, {})) {
      if (one.what == "traffic") sent[stage] += double(one.counted);
      if (stage == 1 || one.what != "memory" || one.rank != 0 || one.at != kAfterStep) continue;
      if (one.category == "parameters") parameters = double(one.counted) / 4;
      if (one.category != "optimizer") continue;
      row.declared = double(*one.predicted), row.counted = double(one.counted);
    }
  }
  row.declared /= parameters, row.counted /= parameters,
      row.sent = sent[0] > 0 ? std::round(1e4 * sent[1] / sent[0]) / 1e4 : 0;
  return row;
}

Dataset data_of(const Config& config) {
  return load_dataset({.max_tokens = kTokens,
                       .seed = static_cast<uint64_t>(config.integer("seed")),
                       .synthetic_classes = kClasses,
                       .synthetic_train = 4096,
                       .synthetic_test = 256});
}

}  // namespace

int64_t work_of(const Config& config) {
  const auto count = int64_t(rules().size());
  return int64_t(methods_of(config.text("paths")).size()) + 7 + count * (kHalfDecades + 2);
}

void run_sharing(const Config& config, const RunContext& context, const Pass& pass) {
  const Dataset data = data_of(config);
  Recorder& pen = *context.store.add_section(kSharding, {}, 1).at(0);
  for (const Rule& rule : rules()) {
    pass(tr("two ranks, {}", rule.name));
    record_row(pen, shared(config, rule, data, context.store));
  }
}

// Learning rates for each rule, then the race: all rules in turns, each at its best rate.
void run_training(const Config& config, const RunContext& context, const Pass& pass) {
  const Dataset data = data_of(config);
  const int64_t rounds = config.integer("training");
  Recorder& pen = *context.store.add_section(kTraining, {}, 1).at(0);
  std::vector<Turn> turns;
  for (const Rule& rule : rules()) {
    std::vector<RateTried> tried;
    TrainerConfig trainer = small_training(config, rule);
    for (int half = 0; half < kHalfDecades; ++half) {
      pass(tr("learning rates of {}", rule.name));
      tried.push_back(try_rate(trainer, std::pow(10.0, half / 2.0 - 4), data, context.control));
    }
    const GoodRates good = good_rates(tried, kGood).value_or(GoodRates());
    record_row(pen, GoodRow{rule.name, good.from, good.to, good.best, good.last});
    trainer.learning_rate = good.best;
    if (good.best > 0) turns.push_back({trainer, rule.name});
  }
  const auto store = TraceStore::create("race");
  int64_t turn = 0;
  const auto results = train_in_turns(turns, rounds, data, *store, context.control, [&] {
    if (++turn % rounds == 0) pass(tr("the race, in turns"));
  });
  for (size_t i = 0; i < turns.size(); ++i)
    for (size_t step = 0; step < results[i].loss.size(); ++step)
      record_row(
          pen, RaceRow{turns[i].section, int64_t(step) + 1, results[i].loss[step], results[i].step_ms[step]});
}

}  // namespace ringside::lessons::optimizers
