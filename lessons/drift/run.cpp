// Seven short trainings: a base, one that differs in the order of its sums, three with a bug, and two
// yardsticks. Each is compared with the base, step by step.
#include <cstring>

#include "ringside/base/bfloat16.h"
#include "ringside/base/random.h"
#include "ringside/comm/then_work.h"
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
  const char* name;
  int stage;
  bool to_the_end = false;  // or kBugSteps
  uint64_t seed = 0;        // beside the scenario's
};
constexpr Training kTrainings[] = {{kBase, 1, true}, {kOrder, 2, true}, {kBucket, 0},       {kNorm, 1},
                                   {kStale, 3},      {kSame, 0},        {kSeed, 1, true, 1}};

// The base, the four in the order of their letters, the yardsticks: nothing tells early which curve is which.
std::vector<Training> trainings(const Config& config) {
  std::vector<Training> all(std::begin(kTrainings), std::end(kTrainings));
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

// The distance of neighbours from 1 to 2.
double ulp_of(const Config& config) { return std::ldexp(1.0, config.text("precision") == "bf16" ? -7 : -23); }

// ---- The three bugs, each planted between a strategy and its process group --------------

bool is_bug(const std::string& training) {
  return training == kBucket || training == kNorm || training == kStale;
}

class Planted : public GroupDecorator {
 public:
  Planted(std::unique_ptr<ProcessGroup> inner, const std::string& bug)
      : GroupDecorator(std::move(inner)), bug_(bug) {}

  WorkPtr start(Collective call) override {
    const auto is = [&](const char* what, const char* unit) {
      return call.tag.what == what && call.tag.unit == unit;
    };
    // Left out: each rank goes on with what it has.
    if ((bug_ == kBucket && is("gradients", "bucket 1")) || (bug_ == kNorm && call.tag.what == "norm"))
      return std::make_shared<ThenWork>();
    if (bug_ != kStale || !is("parameters", "layer 0")) return GroupDecorator::start(std::move(call));
    const MutableView whole = call.output;
    return std::make_shared<ThenWork>(GroupDecorator::start(std::move(call)),
                                      [this, whole] { go_back(whole); });
  }

 private:
  // Stage 3 uses a layer before its gather has ended: what lies there is what the gather before brought. That
  // is the same, but in a step's first forward: there it is the layer of the step before.
  void go_back(const MutableView& whole) {
    const auto* bytes = static_cast<const std::byte*>(whole.data);
    std::vector<std::byte> fresh(bytes, bytes + whole.bytes());
    std::vector<std::byte>& before = before_[whole.count];
    if (!before.empty()) std::memcpy(whole.data, before.data(), before.size());
    before = std::move(fresh);
  }

  const std::string bug_;
  std::map<int64_t, std::vector<std::byte>> before_;  // by a bucket's elements
};

// ---- Parameters, compared with the base's ----------------------------------------------

// 1, 2, 3, 5, 7, 10, 20, 30, 50, 70, 100, ... and the last one.
bool is_looked_at(int64_t step, int64_t last) {
  if (step == last) return true;
  while (step % 10 == 0) step /= 10;
  return step <= 3 || step == 5 || step == 7;
}

using Parameters = std::map<int64_t, std::vector<float>>;  // after a step, one behind the other

void add_behind(std::vector<float>& to, ConstView values) {
  for (int64_t i = 0; i < values.count; ++i)
    to.push_back(values.dtype == Dtype::kBFloat16
                     ? bf16_to_float(static_cast<const uint16_t*>(values.data)[i])
                     : static_cast<const float*>(values.data)[i]);
}

double distance(const std::vector<float>& mine, const std::vector<float>& base) {
  double errors = 0, lengths = 0;
  for (size_t i = 0; i < base.size(); ++i) {
    errors += std::pow(double(mine[i]) - base[i], 2);
    lengths += std::pow(double(base[i]), 2);
  }
  return std::sqrt(errors / lengths);
}

// ---- The trainings --------------------------------------------------------------------

struct Comparison {
  const Config& config;
  const RunContext& context;
  const Dataset dataset = load_dataset({.max_tokens = kTokens,
                                        .seed = uint64_t(config.integer("seed")),
                                        .synthetic_classes = kClasses,
                                        .synthetic_train = kSamples,
                                        .synthetic_test = 1024});
  Recorder& pen = *context.store.add_section(kComparison, {{kUlp, ulp_of(config)}}, 1).front();
  Parameters base = {};
  std::vector<double> base_loss = {};
  int64_t nth = 0, done = 0, total = 0;  // training; steps
  TraceRows rows = {};

  void train_all() {
    for (const Training& training : trainings(config)) total += trainer_config(config, training).steps;
    for (const Training& training : trainings(config))
      train_one(training.name, trainer_config(config, training));
    context.store.set_rows(rows);
  }

  void train_one(const std::string& training, const TrainerConfig& trainer) {
    const SpanScope span(pen, "step", ++nth, training);
    Parameters mine;
    TrainerHooks hooks = hooks_of(context.control, context.process);
    if (is_bug(training))
      hooks.wrap_group = [&](auto inner) { return std::make_unique<Planted>(std::move(inner), training); };
    hooks.on_step = [&](int64_t) { context.progress({tr("training {} of 7", nth), ++done, total}); };
    hooks.observe = [&](int64_t step, size_t index, const std::string&, ConstView values) {
      if (is_looked_at(step, trainer.steps)) add_behind(mine[step], values);
    };
    const TrainResult result = train(trainer, dataset, context.store, training, hooks);
    if (!result.complete) throw CancelledError();
    if (training == kBase) base = mine, base_loss = result.loss;
    for (const auto& [step, values] : mine)
      if (training != kBase && base.contains(step))
        record_row(pen, DistanceRow{training, step, distance(values, base.at(step))});
    for (size_t i = 0; i < result.loss.size(); ++i)
      record_row(pen, LossRow{training, int64_t(i) + 1, result.loss[i],
                              std::abs(result.loss[i] - base_loss[i]) / base_loss[i]});
    record_end(training, trainer, result);
  }

  // Two bugs leave out a collective: what the ledger cannot explain is kept as what is missing.
  void record_end(const std::string& training, const TrainerConfig& trainer, const TrainResult& result) {
    EndRow row{training,       letter_of(config, training), result.ranks_agree, 0, result.evaluated,
               result.accuracy};
    const auto ledger =
        ledger_of(context.store.snapshot(), training, trainer, dataset, result.interruption, true);
    for (const LedgerRow& one : ledger) row.missing -= one.what == "traffic" ? one.unexplained() : 0;
    record_row(pen, row);
    if (!is_bug(training)) append(rows.ledger, ledger);
  }
};

}  // namespace

void run(const Config& config, const RunContext& context) { Comparison{config, context}.train_all(); }

std::string letter_of(const Config& config, const std::string& training) {
  const auto order =
      permutation(std::size(kCurves), RandomStream(uint64_t(config.integer("seed")), "letters"));
  for (size_t i = 0; i < std::size(kCurves); ++i)
    if (training == kCurves[i]) return std::string(1, static_cast<char>('A' + order[i]));
  return "";
}

}  // namespace ringside::lessons::drift
