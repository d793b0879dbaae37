// The measurements one after the other, then three trainings: one process, and ranks without and with shared
// statistics.
#include <cmath>

#include "parts.h"
#include "ringside/ledger/ledger.h"
#include "ringside/lesson/section_title.h"
#include "ringside/lesson/tr.h"
#include "ringside/tensor/torch_adapter.h"
#include "ringside/train/trainer.h"

namespace ringside::norms_lesson {
namespace {

// A training's parameters after each step, buffers left out.
using Steps = std::vector<std::vector<float>>;

class Run {
 public:
  Run(const Config& config, const RunContext& context) : config_(config), context_(context) {
    DataOptions options;
    options.max_tokens = 16;
    options.synthetic_classes = 4;
    options.synthetic_train = 64;
    options.synthetic_test = 16;
    data_ = load_dataset(options);
  }

  void run() {
    use_one_thread();
    keep_freed_memory();
    section(kCells, [](Recorder& recorder) { record_cells(recorder); });
    section(kDescent, [](Recorder& recorder) { record_descent(recorder); });
    section(kPadding, [](Recorder& recorder) { record_padding(recorder); });
    section(kGap, [](Recorder& recorder) { record_gap(recorder); });
    section(kScale, [](Recorder& recorder) { record_scales(recorder); });
    section(kDepth, [&](Recorder& recorder) { record_depth(config_.integer("layers"), recorder); });
    section(kTimes, [](Recorder& recorder) { record_times(recorder); });
    train_all();
    context_.store.set_rows(rows_);
  }

 private:
  template <typename Record>
  void section(const char* name, const Record& record) {
    context_.control.pass_step();
    record(*context_.store.add_section(name, {}, 1).front());
    if (context_.progress) context_.progress({name, ++done_, 10});
  }

  Steps train_section(const char* name, NormKind norm, int ranks) {
    TrainerConfig trainer;
    trainer.model.hidden = 32, trainer.model.intermediate = 64, trainer.model.layers = 2;
    trainer.model.norm = norm;
    trainer.precision = Precision::kFloat32;
    trainer.max_tokens = 16;
    trainer.ranks = ranks;
    trainer.batch = config_.integer("batch");
    trainer.steps = config_.integer("steps");
    trainer.optimizer.name = "sgd";
    trainer.learning_rate = 0.05;
    trainer.evaluate_every = -1;
    trainer.hash_state = true;
    Steps steps(static_cast<size_t>(trainer.steps));
    const size_t parameters = classifier_shapes(trainer.model).size();
    TrainerHooks hooks;
    hooks.control = &context_.control;
    hooks.observe = [&](int64_t step, size_t index, const std::string&, ConstView values) {
      const auto* const data = static_cast<const float*>(values.data);
      auto& all = steps[static_cast<size_t>(step - 1)];
      if (index < parameters) all.insert(all.end(), data, data + values.count);
    };
    const TrainResult result = train(trainer, data_, context_.store, name, hooks);
    const Trace trace = context_.store.snapshot();
    const auto rows = reconcile(predict_zero_run(planned_run(trainer, data_, result.interruption, true)),
                                count_rows(trace, *trace.find(name)));
    rows_.ledger.insert(rows_.ledger.end(), rows.begin(), rows.end());
    if (!result.complete) throw CancelledError();
    if (context_.progress) context_.progress({name, ++done_, 10});
    return steps;
  }

  static double distance(const std::vector<float>& a, const std::vector<float>& b) {
    double sum = 0;
    for (size_t i = 0; i < a.size(); ++i) sum += (double{a[i]} - b[i]) * (double{a[i]} - b[i]);
    return std::sqrt(sum);
  }

  void train_all() {
    const int ranks = static_cast<int>(config_.integer("ranks"));
    const Steps one = train_section(kOne, NormKind::kSyncBatch, 1);
    const Steps own = train_section(kOwn, NormKind::kBatch, ranks);
    const Steps shared = train_section(kShared, NormKind::kSyncBatch, ranks);
    Recorder& recorder = *context_.store.add_section(kPaths, {}, 1).front();
    for (size_t step = 0; step < one.size(); ++step) {
      const double of = distance(one.back(), one.front()) + 1e-30;
      const auto after = static_cast<int64_t>(step) + 1;
      record_row(recorder, PathRow{kOwn, after, distance(own[step], one[step]) / of});
      record_row(recorder, PathRow{kShared, after, distance(shared[step], one[step]) / of});
    }
  }

  const Config& config_;
  const RunContext& context_;
  Dataset data_;
  TraceRows rows_;
  int64_t done_ = 0;
};

}  // namespace

void run(const Config& config, const RunContext& context) { Run(config, context).run(); }

}  // namespace ringside::norms_lesson
