// Seven short trainings: a base, one that differs in the order of its sums, three with a bug, and two
// yardsticks. Each is compared with the base, step by step.
#include "ringside/base/distance.h"
#include "ringside/base/random.h"
#include "ringside/comm/accumulator.h"
#include "ringside/lesson/fields.h"
#include "ringside/train/booked.h"
#include "rows.h"

namespace ringside::lessons::drift {
namespace {

// Short texts of many classes: they cannot all be told apart, so the loss stays far from 0. No sample comes
// twice in 1,000 steps of 16.
constexpr int64_t kClasses = 8, kTokens = 6, kSamples = 16'384;
constexpr int64_t kBugSteps = 100;  // of what is not compared to the end

struct Training {
  std::string name;
  int stage = 0;
  bool to_the_end = false;  // or kBugSteps
  std::vector<Fault> bug = {};
  uint64_t seed = 0;  // beside the scenario's
};

// Always there: in these calls of every rank.
Fault bug(FaultKind kind, const char* tag, const char* unit = "") {
  return {.kind = kind, .rank = kEvery, .step = kEvery, .tag = tag, .unit = unit, .call = kEvery};
}

// The base, the four in the order of their letters, the yardsticks: nothing tells early which curve is which.
// Where a call is left out, each rank goes on with what it has. Stage 3 uses a layer before its gather has
// ended: what lies there is what the gather before brought. That is the same, but in a step's first forward:
// there it is the layer of the step before.
std::vector<Training> trainings(const Config& config) {
  std::vector<Training> all = {{kBase, 1, true},
                               {kOrder, 2, true},
                               {kBucket, 0, false, {bug(FaultKind::kSkip, "gradients", "bucket 1")}},
                               {kNorm, 1, false, {bug(FaultKind::kSkip, "norm")}},
                               {kStale, 3, false, {bug(FaultKind::kStale, "parameters", "layer 0")}},
                               {kSame, 0},
                               {kSeed, 1, true, {}, 1}};
  std::sort(all.begin() + 1, all.begin() + 5, [&](const Training& a, const Training& b) {
    return letter_of(config, a.name) < letter_of(config, b.name);
  });
  return all;
}

TrainerConfig trainer_config(const Config& config, const Training& training) {
  TrainerConfig trainer;
  trainer.model = {
      .hidden = 16, .heads = 2, .kv_heads = 1, .intermediate = 32, .layers = 1, .classes = kClasses};
  trainer.max_tokens = kTokens;
  trainer.ranks = int(config.integer("ranks"));
  trainer.stage = training.stage;
  trainer.bucket_elements = 2048;
  trainer.batch = 4 * trainer.ranks;
  trainer.schedule = {.name = "constant", .warmup = 0};
  trainer.steps = config.integer("steps");
  if (!training.to_the_end) trainer.steps = std::min(kBugSteps, trainer.steps);
  trainer.learning_rate = config.real("lr");
  trainer.seed = uint64_t(config.integer("seed")) + training.seed;
  read_fields<Distribution>(config, trainer);
  return trainer;
}

using Parameters = std::map<int64_t, std::vector<float>>;  // after a step, one behind the other

struct Comparison {
  const Config& config;
  const RunContext& context;
  const Dataset dataset = load_dataset({.max_tokens = kTokens,
                                        .seed = uint64_t(config.integer("seed")),
                                        .synthetic_classes = kClasses,
                                        .synthetic_train = kSamples,
                                        .synthetic_test = 1024});
  const double ulp = std::ldexp(1.0, config.text("precision") == "bf16" ? -7 : -23);  // from 1 to 2
  Recorder& pen = *context.store.add_section(kComparison, {{kUlp, ulp}}, 1).front();
  Parameters base = {};
  std::vector<double> base_loss = {};
  int64_t nth = 0, done = 0, total = 0;  // training; steps
  TraceRows rows = {};

  void train_all() {
    for (const Training& training : trainings(config)) total += trainer_config(config, training).steps;
    for (const Training& training : trainings(config)) train_one(training, trainer_config(config, training));
    context.store.set_rows(rows);
  }

  void train_one(const Training& training, const TrainerConfig& trainer) {
    const std::string& name = training.name;
    const SpanScope span(pen, "step", ++nth, name);
    Parameters mine;
    FaultInjector faults({training.bug}, trainer.ranks);
    TrainerHooks hooks = hooks_of(context.control, context.process);
    hooks.faults = &faults;
    hooks.on_step = [&](int64_t) { context.progress({tr("training {} of 7", nth), ++done, total}); };
    hooks.observe = [&](int64_t step, size_t, const std::string&, ConstView values) {
      if (is_looked_at(step) || step == trainer.steps) append_as_float(mine[step], values);
    };
    const TrainResult result = train(trainer, dataset, context.store, name, hooks);
    if (!result.complete) throw CancelledError();
    if (name == kBase) base = mine, base_loss = result.loss;
    for (const auto& [step, values] : mine)
      if (name != kBase && base.contains(step))
        record_row(pen, DistanceRow{name, step, relative_distance(values, base.at(step))});
    record_end(training, trainer, result);
  }

  void record_end(const Training& training, const TrainerConfig& trainer, const TrainResult& result) {
    const std::string& name = training.name;
    const double p = result.accuracy, noise = 2 * std::sqrt(p * (1 - p) / double(result.evaluated));
    EndRow end{name, letter_of(config, name), result.ranks_agree, 0, result.evaluated, p, noise};
    const size_t steps = result.loss.size(), tenth = std::max<size_t>(1, steps / 10);
    for (size_t i = 0; i < steps; ++i) {
      const double difference = std::abs(result.loss[i] - base_loss[i]) / base_loss[i];
      record_row(pen, LossRow{name, int64_t(i) + 1, result.loss[i], difference});
      end.most = std::max(end.most, difference);
      if (i < 10) end.in_10_steps = end.most;
      if (i >= steps - tenth) end.last_tenth += difference / double(tenth);
    }
    // Two bugs leave out a collective: what the ledger cannot explain is kept as what is missing.
    const auto ledger =
        ledger_of(context.store.snapshot(), name, trainer, dataset, result.interruption, true);
    for (const LedgerRow& one : ledger) end.missing -= one.what == "traffic" ? one.unexplained() : 0;
    if (training.bug.empty()) append(rows.ledger, ledger);
    record_row(pen, end);
  }
};

}  // namespace

void run(const Config& config, const RunContext& context) { Comparison{config, context}.train_all(); }

std::string letter_of(const Config& config, const std::string& training) {
  const auto order =
      permutation(std::size(kCurves), RandomStream(uint64_t(config.integer("seed")), "letters"));
  for (size_t i = 0; i < std::size(kCurves); ++i)
    if (training == kCurves[i]) return std::string(1, char('A' + order[i]));
  return "";
}

}  // namespace ringside::lessons::drift
