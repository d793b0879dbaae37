// The classifier under every optimizer: a sweep of learning rates, the loss at the best of them, and what
// two ranks that share the state send.
#include "parts.h"
#include "ringside/ledger/ledger.h"
#include "ringside/nn/classifier.h"
#include "ringside/train/booked.h"
#include "ringside/train/rate_sweep.h"

namespace ringside::lessons::optimizers {
namespace {

constexpr int64_t kClasses = 8, kTokens = 6;
constexpr int kHalfDecades = 9, kMost = 15;  // learning rates from 1e-4 to 1, or as far as 1e3
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
  trainer.seed = uint64_t(config.integer("seed"));
  trainer.optimizer = rule.config;
  return trainer;
}

// A classifier whose gradients are those of `times` its loss; the loss that is reported stays as it is.
struct ScaledLoss : Classifier {
  double times;
  ScaledLoss(const TrainerConfig& config, double scale)
      : Classifier(config.model, config.max_tokens), times(scale) {}
  ModelOutput forward(const Batch& batch, const Context& context) override {
    ModelOutput output = Classifier::forward(batch, context);
    if (output.logits.requires_grad())
      output.logits.register_hook([by = times](const at::Tensor& gradient) { return gradient * by; });
    return output;
  }
};

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
                       .seed = uint64_t(config.integer("seed")),
                       .synthetic_classes = kClasses,
                       .synthetic_train = 4096,
                       .synthetic_test = 256});
}

using RateLoss = std::function<void(double rate, int64_t step, double loss)>;

// From 1e-4 to 1, and on while the highest rate is still a good one.
std::vector<RateTried> tried_rates(TrainerConfig trainer, const Dataset& data, const RunContext& context,
                                   const Pass& pass, const RateLoss& on_loss) {
  std::vector<RateTried> tried;
  for (int half = 0; half < kMost; ++half) {
    if (const auto good = good_rates(tried, kGood);
        half >= kHalfDecades && (!good || good->to < tried.back().rate))
      break;
    if (half < kHalfDecades) pass(tr("learning rates of {}", trainer.optimizer.name), kOtherTime);
    const double rate = std::pow(10.0, half / 2.0 - 4);
    const auto of_rate = [&](int64_t step, double loss) { on_loss(rate, step, loss); };
    tried.push_back(try_rate(trainer, rate, data, context.control, of_rate));
  }
  return tried;
}

// Of the fall of the loss at the best rate: what is left of it where the loss is scaled and the rate is not.
GoodRow good_row(const std::string& rule, const std::vector<RateTried>& tried, TrainerConfig trainer,
                 const Dataset& data, RunControl& control) {
  const GoodRates good = good_rates(tried, kGood).value_or(GoodRates());
  GoodRow row{rule, good.from, good.to, good.best, good.last, tried.front().rate, tried.back().rate};
  if (good.best <= 0) return row;
  const auto kept = [&](double times) {
    trainer.make_model = [&, times](int) { return std::make_unique<ScaledLoss>(trainer, times); };
    const RateTried scaled = try_rate(trainer, good.best, data, control);
    const double fall = scaled.stopped.empty() ? scaled.first - scaled.last : 0;
    return std::fmax(0, fall / (scaled.first - good.last));
  };
  row.kept_divided = kept(1 / kScale), row.kept_times = kept(kScale);
  return row;
}

}  // namespace

int64_t work_of(const Config& config) {
  const auto count = int64_t(rules().size()), paths = int64_t(methods_of(config.text("paths")).size());
  return config.text("parts") == "paths" ? paths + 1 : paths + 7 + count * (kHalfDecades + 2);
}
double time_of(const Config& config) {
  const double paths = kPathTime * double(methods_of(config.text("paths")).size()) + kOtherTime;
  if (config.text("parts") == "paths") return paths;
  double hessians = kProductsTime;
  for (int64_t hidden = kLeastHidden; hidden <= kMostHidden; hidden *= 2) hessians += hessian_time(hidden);
  return paths + hessians + double(rules().size()) * (kOtherTime * (kHalfDecades + 1) + kBestTime);
}

void run_sharing(const Config& config, const RunContext& context, const Pass& pass) {
  const Dataset data = data_of(config);
  Recorder& pen = *context.store.add_section(kSharding, {}, 1).at(0);
  for (const Rule& rule : rules()) {
    pass(tr("two ranks, {}", rule.name), kOtherTime);
    record_row(pen, shared(config, rule, data, context.store));
  }
}

// For each rule the learning rates, and the loss of every step at the best one. While it lasts, the newest
// loss of each rule and the rate it is of are scalars.
void run_training(const Config& config, const RunContext& context, const Pass& pass) {
  const Dataset data = data_of(config);
  Recorder& pen = *context.store.add_section(kTraining, {}, 1).at(0);
  for (const Rule& rule : rules()) {
    TrainerConfig trainer = small_training(config, rule);
    const RateLoss show = [&](double rate, int64_t step, double loss) {
      pen.scalar("learning rate that is tried", step, rate);
      pen.scalar("loss of " + rule.name, step, loss);
    };
    const auto tried = tried_rates(trainer, data, context, pass, show);
    const GoodRow good = good_row(rule.name, tried, trainer, data, context.control);
    record_row(pen, good);
    pass(tr("{} at its best rate", rule.name), kBestTime);
    if (good.best <= 0) continue;
    try_rate(trainer, good.best, data, context.control, [&](int64_t step, double loss) {
      show(good.best, step, loss);
      record_row(pen, RuleLossRow{rule.name, step + 1, loss});
    });
  }
}

}  // namespace ringside::lessons::optimizers
