#include "ringside/server_train/served_classifier.h"

#include <c10/core/GradMode.h>

#include <algorithm>

#include "ringside/base/sha256.h"
#include "ringside/data/sampler.h"
#include "ringside/nn/classifier.h"
#include "ringside/nn/evaluation.h"
#include "ringside/tensor/torch_adapter.h"

namespace ringside::inline server_train {
namespace {

void require_served(bool allowed, const std::string& message) {
  if (!allowed) throw UsageError("parameter server: " + message);
}

void check_served(const TrainerConfig& config) {
  require_served(config.precision == Precision::kFloat32, "values are fp32: precision=fp32");
  require_served(config.clip_norm == 0,
                 "a server knows its own ranges, not the norm of all gradients: clip_norm=0");
  require_served(!config.predivide, "gradients are divided on the server: predivide=off");
  require_served(config.optimizer.groups.empty(), "groups of parameters with rates of their own");
  require_served(!is_batch_norm(config.model.norm),
                 "statistics of a batch are no gradient; norms that keep none: rms, layer, group, instance");
  require_served(config.ranks >= 1 && config.batch >= 1 && config.accumulate >= 1 && config.steps >= 1,
                 "ranks, batch, accumulate and steps are 1 at least");
}

}  // namespace

// Where the parameters stand among the keys.
struct ServedClassifier::Layout {
  Layout(const TrainerConfig& trained, const Dataset& data)
      : config(trained), dataset(data), shapes(classifier_shapes(trained.model)) {
    const Optimizer optimizer = make_optimizer(config.optimizer);
    std::vector<Values> values;  // that the groups have
    for (const ParameterShape& shape : shapes) {
      const Values own = optimizer.values_of(shape.name, shape.shape);
      if (shape.trainable && std::ranges::find(values, own) == values.end()) values.push_back(own);
    }
    first_key.assign(shapes.size(), 0);
    for (const Values& of_group : values) add_group(optimizer, of_group);
  }

  void add_group(const Optimizer& optimizer, const Values& values) {
    ps::KeyGroup group{.begin = keys,
                       .optimizer = {.name = config.optimizer.name, .values = values},
                       .learning_rate = config.learning_rate,
                       .schedule = {config.schedule.name, config.schedule.warmup, config.steps}};
    group.gradient_scale = static_cast<float>(1.0 / static_cast<double>(config.batch * config.accumulate));
    for (size_t p = 0; p < shapes.size(); ++p) {
      if (!shapes[p].trainable || optimizer.values_of(shapes[p].name, shapes[p].shape) != values) continue;
      first_key[p] = keys;
      keys += static_cast<uint64_t>(shapes[p].numel());
      if (group.name == "all") group.name = shapes[p].name;
    }
    group.end = keys;
    groups.push_back(std::move(group));
  }

  TrainerConfig config;
  const Dataset& dataset;
  std::vector<ParameterShape> shapes;
  std::vector<uint64_t> first_key;  // by parameter; of a frozen one unused
  std::vector<ps::KeyGroup> groups;
  uint64_t keys = 0;
};

// A model whose trainable parameters are filled with values by key.
class ServedClassifier::Replica {
 public:
  explicit Replica(std::shared_ptr<const Layout> layout)
      : layout_(std::move(layout)),
        model_(layout_->config.model, layout_->config.max_tokens),
        sampler_(std::ssize(layout_->dataset.train), layout_->config.batch, layout_->config.accumulate,
                 layout_->config.seed) {
    ParameterSet& set = model_.parameters();
    for (size_t p = 0; p < set.shapes.size(); ++p) {
      set.leaves[p] = at::empty(set.shapes[p].shape, at::kFloat);
      initialize(set.leaves[p], set.shapes[p], layout_->config.seed);
      set.leaves[p].set_requires_grad(set.shapes[p].trainable);
    }
  }

  void fill(const std::vector<float>& values) {
    const at::NoGradGuard no_grad;
    visit([&](size_t p, at::Tensor& leaf) { copy(values.data() + layout_->first_key[p], leaf); });
  }

  std::vector<float> values() {
    return gathered([](const at::Tensor& leaf) { return leaf; });
  }

  // The sum of the gradients of this rank's samples.
  std::vector<float> gradient(int64_t clock, uint32_t rank) {
    const TrainerConfig& config = layout_->config;
    visit([&](size_t, at::Tensor& leaf) { leaf.mutable_grad() = at::zeros_like(leaf); });
    for (int64_t micro = 0; micro < config.accumulate; ++micro) {
      const std::vector<int64_t> indices =
          sampler_.indices(clock, micro, static_cast<int>(rank), config.ranks);
      const Batch batch = make_batch(layout_->dataset.train, indices);
      const Context context{
          .mode = Mode::kTrain,
          .recompute = config.recompute,
          .draws = dropout_draws(config.seed, clock * config.accumulate + micro,
                                 rank_slice(config.batch, static_cast<int>(rank), config.ranks).begin)};
      run_backward(weighted_loss(model_.forward(batch, context).logits, batch));
    }
    return gathered([](const at::Tensor& leaf) { return leaf.grad(); });
  }

  std::string sha256() {
    Sha256 hash;
    const ParameterSet& set = model_.parameters();
    for (size_t p = 0; p < set.shapes.size(); ++p) add_to(hash, set.shapes[p].name, set.leaves[p]);
    return hash.hex();
  }

  Score evaluate() {
    const at::NoGradGuard no_grad;
    const std::vector<Sample>& test = layout_->dataset.test;
    ringside::Score sums;
    for (int64_t i = 0; i < std::ssize(test); ++i) {
      const Batch batch = make_batch(test, {i});
      sums += score_of(model_.forward(batch, {}).logits, batch);
    }
    return {sums.loss / sums.samples, sums.correct / sums.samples};
  }

 private:
  void visit(const std::function<void(size_t p, at::Tensor& leaf)>& act) {
    ParameterSet& set = model_.parameters();
    for (size_t p = 0; p < set.shapes.size(); ++p)
      if (set.shapes[p].trainable) act(p, set.leaves[p]);
  }

  static void copy(const float* from, at::Tensor& to) { std::copy_n(from, to.numel(), to.data_ptr<float>()); }

  std::vector<float> gathered(const std::function<at::Tensor(const at::Tensor&)>& of) {
    std::vector<float> all(layout_->keys);
    visit([&](size_t p, at::Tensor& leaf) {
      const at::Tensor from = of(leaf).contiguous();
      std::copy_n(from.data_ptr<float>(), from.numel(), all.data() + layout_->first_key[p]);
    });
    return all;
  }

  std::shared_ptr<const Layout> layout_;
  Classifier model_;
  Sampler sampler_;
};

ServedClassifier::ServedClassifier(const TrainerConfig& config, const Dataset& dataset) {
  check_served(config);
  layout_ = std::make_shared<const Layout>(config, dataset);
}
ServedClassifier::~ServedClassifier() = default;

uint64_t ServedClassifier::keys() const { return layout_->keys; }

ps::Cluster ServedClassifier::cluster() const {
  const auto initial = std::make_shared<const std::vector<float>>(Replica(layout_).values());
  return {.groups = layout_->groups,
          .ranges = 4,
          .backups = 0,
          .workers = static_cast<uint32_t>(layout_->config.ranks),
          .initial = [initial](uint64_t key) { return (*initial)[key]; }};
}

ps::WorkerTask ServedClassifier::task(uint32_t rank) const {
  auto replica = std::make_shared<Replica>(layout_);
  return {.clocks = layout_->config.steps,
          .gradient = [replica, rank](int64_t clock, const std::vector<float>& values) {
            use_one_thread();  // of this thread
            replica->fill(values);
            return replica->gradient(clock, rank);
          }};
}

std::string ServedClassifier::parameters_sha256(const std::vector<float>& values) const {
  Replica replica(layout_);
  replica.fill(values);
  return replica.sha256();
}

ServedClassifier::Score ServedClassifier::evaluate(const std::vector<float>& values) const {
  const KeepThreadCounts thread_counts;
  use_one_thread();
  Replica replica(layout_);
  replica.fill(values);
  return replica.evaluate();
}

}  // namespace ringside::inline server_train
