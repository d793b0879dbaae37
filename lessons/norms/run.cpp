// The measurements one after the other, and three trainings among them: one process, and ranks without and
// with shared statistics.
#include "parts.h"
#include "ringside/base/sha256.h"
#include "ringside/comm/accumulator.h"
#include "ringside/nn/classifier.h"
#include "ringside/tensor/torch_adapter.h"
#include "ringside/train/booked.h"

namespace ringside::lessons::norms {
namespace {

const double kMomentum = BatchNormLayer().momentum;

// A training's parameters after each step, buffers left out.
using Steps = std::vector<std::vector<float>>;

// A rank's model, looked at after each step: what its first norm has seen, and hashes of what it holds.
class Watched {
 public:
  std::unique_ptr<Model> make(const TrainerConfig& config) {
    auto model = std::make_unique<Classifier>(config.model, config.max_tokens);
    model_ = model.get();
    return model;
  }

  void record(RankLoop& loop, int64_t step) {
    const Buffers& buffers = model_->buffers();
    const auto first = [&](const char* end) {
      for (size_t i = 0; i < buffers.names().size(); ++i)
        if (buffers.names()[i].ends_with(end)) return double{buffers.tensors()[i].data_ptr<float>()[0]};
      return figure::kNone;
    };
    const auto record = [&](const char* moment, const char* buffer, double& kept) {
      const double before = std::exchange(kept, first(buffer));
      // running += momentum (batch - running), solved for the batch's
      const double batch = before + (kept - before) / kMomentum;
      record_point(loop.recorder(), seen_by(loop.rank(), moment), double(step), batch);
      record_point(loop.recorder(), kept_by(loop.rank(), moment), double(step), kept);
    };
    record(kMean, "running_mean", mean_);
    record(kVariance, "running_var", variance_);
    Sha256 parameters, statistics;
    const ParameterSet& set = model_->parameters();
    for (size_t p = 0; p < set.leaves.size(); ++p) add_to(parameters, set.shapes[p].name, set.leaves[p]);
    for (size_t b = 0; b < buffers.names().size(); ++b)
      add_to(statistics, buffers.names()[b], buffers.tensors()[b]);
    record_row(loop.recorder(),
               HashRow{loop.rank(), step, parameters.hex().substr(0, 8), statistics.hex().substr(0, 8)});
  }

 private:
  Classifier* model_ = nullptr;
  double mean_ = 0, variance_ = 1;
};

// Of a part, in seconds on a slow core: for the time that is left.
constexpr double kFallTime = 3, kTimesTime = 5, kAnyTime = 0.07;

struct Run {
  const Config& config;
  const RunContext& context;
  const Dataset data = load_dataset({.max_tokens = 16, .synthetic_train = 64, .synthetic_test = 16});
  RunParts parts{context, 20, kAnyTime * 18 + kFallTime + kTimesTime};
  TraceRows rows = {};

  void run() {
    use_one_thread();
    const Pens pen = [this](const std::string& name) -> Recorder& {
      return parts.section(name, name == kTimes ? kTimesTime : name == kFall ? kFallTime : kAnyTime);
    };
    record_cells(pen);
    context.store.set_attributes(kCells, {{kChanged, cell_of_text(config.text("cell")).index()}});
    train_all();
    record_padding(pen);
    record_batches(pen);
    record_squares(pen, config.real("spread"));
    record_curvature(pen, config.real("spread"));
    record_weights(pen);
    record_depth(pen, config.integer("layers"));
    record_times(pen);
  }

  Steps train_section(const char* name, NormKind norm, int ranks) {
    parts.tell(name, kAnyTime);
    TrainerConfig trainer;
    trainer.model.hidden = 32, trainer.model.intermediate = 64, trainer.model.layers = 2;
    trainer.model.norm = norm;
    trainer.precision = Precision::kFloat32;
    trainer.max_tokens = 16;
    trainer.ranks = ranks;
    trainer.batch = config.integer("batch");
    trainer.steps = config.integer("steps");
    trainer.optimizer.name = "sgd";
    trainer.learning_rate = 0.05;
    trainer.evaluate_every = -1;
    trainer.hash_state = true;
    Steps steps(size_t(trainer.steps));
    const size_t parameters = classifier_shapes(trainer.model).size();
    std::vector<Watched> watched(static_cast<size_t>(ranks));
    const auto of = [&](int rank) -> Watched& { return watched[size_t(rank)]; };
    trainer.make_model = [&](int rank) { return of(rank).make(trainer); };
    TrainerHooks hooks = hooks_of(context.control);
    hooks.end_step = [&](RankLoop& loop, int64_t step) { of(loop.rank()).record(loop, step); };
    hooks.observe = [&](int64_t step, size_t index, const std::string&, ConstView values) {
      if (index < parameters) append_as_float(steps[size_t(step - 1)], values);
    };
    train_and_book(trainer, data, context.store, name, hooks, rows);
    return steps;
  }

  static double distance(const std::vector<float>& a, const std::vector<float>& b) {
    double sum = 0;
    for (size_t i = 0; i < a.size(); ++i) sum += (double{a[i]} - b[i]) * (double{a[i]} - b[i]);
    return std::sqrt(sum);
  }

  void train_all() {
    const int ranks = int(config.integer("ranks"));
    const Steps one = train_section(kOne, NormKind::kSyncBatch, 1);
    const Steps own = train_section(kOwn, NormKind::kBatch, ranks);
    const Steps shared = train_section(kShared, NormKind::kSyncBatch, ranks);
    Recorder& recorder = parts.section(kPaths, kAnyTime);
    for (size_t step = 0; step < one.size(); ++step) {
      const double of = distance(one.back(), one.front()) + 1e-30;
      record_point(recorder, kOwn, double(step), distance(own[step], one[step]) / of);
      record_point(recorder, kShared, double(step), distance(shared[step], one[step]) / of);
    }
  }
};

}  // namespace

void run(const Config& config, const RunContext& context) { Run{config, context}.run(); }

}  // namespace ringside::lessons::norms
