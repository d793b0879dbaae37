#include "ringside/train/emulation.h"

#include <c10/core/GradMode.h>

#include <cmath>

#include "ringside/base/check.h"
#include "ringside/base/sha256.h"
#include "ringside/data/sampler.h"
#include "ringside/nn/model.h"
#include "ringside/nn/task.h"
#include "ringside/nn/tensor_view.h"
#include "ringside/optim/exact_square_sum.h"
#include "ringside/planner/run_mesh.h"
#include "ringside/tensor/torch_adapter.h"
#include "run_groups.h"

namespace ringside::inline training {
namespace {

using Tensors = std::vector<at::Tensor>;

class Emulation {
 public:
  Emulation(const TrainingConfig& config, const Task& task, SumOrder order,
            const ContributionObserver& contributed)
      : config_(config),
        contributed_(contributed),
        task_(task),
        order_(order),
        mesh_(mesh_of_run(config.ranks, config, task.declare().shapes())),
        data_ranks_(mesh_.size(data_dimensions())),
        fp32_(at::TensorOptions(at::kFloat).device(torch_device(config.device))),
        model_(task.make({.device = config.device, .emulated_places = mesh_.size(kTensorParallel)})),
        optimizer_(make_optimizer(config.optimizer, config.device)),
        sampler_(task.count(Split::kTrain), config.batch, config.accumulate, config.seed, task.lengths()) {
    RINGSIDE_CHECK(task.declare().shared_statistics().empty(),
                   "ranks whose norms share statistics cannot run one after the other");
    for (int rank = 0; rank < data_ranks_; ++rank)
      for (const at::Tensor& buffer : model_->buffers().tensors()) buffers_.push_back(buffer.clone());
    ParameterSet& set = model_->parameters();
    for (size_t p = 0; p < set.shapes.size(); ++p) {
      const at::Tensor drawn = at::empty(set.shapes[p].shape, at::kFloat);
      initialize(drawn, set.shapes[p], config.seed);
      set.leaves[p] = drawn.to(fp32_.device()).set_requires_grad(set.shapes[p].trainable);
    }
    for (const StateSpec& spec : optimizer_.state()) {
      Tensors& of_parameters = state_.emplace_back();
      for (const ParameterShape& shape : set.shapes)
        of_parameters.push_back(at::zeros({spec.count(shape.shape, shape.numel())}, fp32_));
    }
  }

  EmulationResult run(const ParameterObserver& observe) {
    const ParameterSet& set = model_->parameters();
    EmulationResult result;
    for (int64_t step = 0; step < config_.steps; ++step) {
      loss_sum_ = 0;
      update(gradients(step), step);
      result.loss.push_back(loss_sum_ / double(config_.batch * config_.accumulate));
      for (size_t p = 0; observe && p < set.leaves.size(); ++p)
        show(observe, step + 1, p, set.shapes[p].name, set.leaves[p]);
      const Buffers& buffers = model_->buffers();
      for (size_t b = 0; observe && b < buffers.names().size(); ++b)
        show(observe, step + 1, set.shapes.size() + b, buffers.names()[b], buffers_[b]);  // rank 0's
    }
    Sha256 hash;
    for (size_t p = 0; p < set.leaves.size(); ++p) add_to(hash, set.shapes[p].name, set.leaves[p]);
    result.parameters_sha256 = hash.hex();
    return result;
  }

 private:
  Tensors zeros() {
    Tensors result;
    for (const ParameterShape& shape : model_->parameters().shapes)
      result.push_back(at::zeros(shape.shape, fp32_));
    return result;
  }

  // Adds the gradients of one rank's micro-batch to `gradients`.
  void backward(int64_t step, int64_t micro, int rank, const Tensors& gradients) {
    ParameterSet& set = model_->parameters();
    for (size_t p = 0; p < set.leaves.size(); ++p)
      if (set.shapes[p].trainable) set.leaves[p].mutable_grad() = gradients[p];
    const Batch batch =
        on(fp32_.device(), task_.batch(Split::kTrain, sampler_.indices(step, micro, rank, data_ranks_), {}));
    exchange_buffers(rank);
    const DropoutDraws draws = dropout_draws(config_.seed, step * config_.accumulate + micro,
                                             rank_slice(config_.batch, rank, data_ranks_).begin);
    ModelOutput output = model_->forward(batch, {.mode = Mode::kTrain, .draws = draws});
    const at::Tensor loss = task_.loss(output, batch);
    exchange_buffers(rank);
    loss_sum_ += loss.item<float>();
    run_backward(loss);
  }

  // Between the model and what it keeps of a rank: each has running statistics of its own.
  void exchange_buffers(int rank) {
    const std::vector<at::Tensor>& in_use = model_->buffers().tensors();
    for (size_t b = 0; b < in_use.size(); ++b) {
      const at::Tensor kept = buffers_[size_t(rank) * in_use.size() + b], before = kept.clone();
      kept.copy_(in_use[b]);
      in_use[b].detach().copy_(before);
    }
  }

  // With replicas: the sum of each group, then the sum of those.
  Tensors gradients(int64_t step) {
    const int of_group = int(shard_ranks(data_ranks_, config_));
    Tensors total;
    for (int first = 0; first < data_ranks_; first += of_group)
      add(total, gradients_of(step, {first, first + of_group}));
    for (size_t p = 0; p < total.size(); ++p) add_tied(total, p);
    return total;
  }

  // Gradients of a parameter that lies in several places, added up in their order.
  void add_tied(const Tensors& gradients, size_t repeated) {
    const std::vector<ParameterShape>& shapes = model_->parameters().shapes;
    if (!shapes[repeated].repeats()) return;
    at::NoGradGuard no_grad;
    const auto first =
        std::ranges::find(shapes, shapes[repeated].tied_to, &ParameterShape::name) - shapes.begin();
    const at::Tensor& sum = gradients[size_t(first)];
    gradients[repeated].copy_(sum.add_(gradients[repeated]));
  }

  struct Ranks {
    int begin, end;
  };
  Tensors gradients_of(int64_t step, Ranks ranks) {
    if (order_ == SumOrder::kAccumulateThenReduce) return reduced(step, 0, config_.accumulate, ranks);
    Tensors total = zeros();
    for (int64_t micro = 0; micro < config_.accumulate; ++micro)
      add(total, reduced(step, micro, micro + 1, ranks));
    return total;
  }

  // The sum over ranks, of what each adds up over micro-batches [begin, end).
  Tensors reduced(int64_t step, int64_t begin, int64_t end, Ranks ranks) {
    Tensors total;
    for (int rank = ranks.begin; rank < ranks.end; ++rank) {
      const Tensors own = zeros();
      for (int64_t micro = begin; micro < end; ++micro) backward(step, micro, rank, own);
      for (const at::Tensor& gradient : own)
        if (config_.predivide) gradient.div_(data_ranks_);
      for (size_t p = 0; contributed_ && p < own.size(); ++p) {
        const at::Tensor read = on_host(own[p]);
        contributed_(step + 1, begin, rank, model_->parameters().shapes[p].name, view_of(read));
      }
      add(total, own);
    }
    return total;
  }

  static void add(Tensors& total, const Tensors& more) {
    at::NoGradGuard no_grad;
    for (size_t p = 0; p < total.size(); ++p) total[p].add_(more[p]);
    if (total.empty()) total = more;
  }

  void update(const Tensors& gradients, int64_t step) {
    at::NoGradGuard no_grad;
    ParameterSet& set = model_->parameters();
    const double samples = double(config_.batch * config_.accumulate) / (config_.predivide ? data_ranks_ : 1);
    double factor = 1.0;
    if (config_.clip_norm > 0) {
      ExactSquareSum sum;
      for (size_t p = 0; p < gradients.size(); ++p)
        if (!set.shapes[p].repeats()) add_squares(sum, gradients[p]);
      factor = std::min(1.0, config_.clip_norm / (std::sqrt(sum.value()) / samples + 1e-6));
    }
    const UpdateOptions options{.learning_rate = config_.learning_rate_at(step),
                                .step = step + 1,
                                .gradient_scale = float(factor / samples)};
    std::vector<ParameterPlace> places(gradients.size());
    std::vector<FlatElements> all;
    // The last first, as in buckets: sums over all are in order.
    for (size_t p = gradients.size(); p-- > 0;) {
      if (!set.shapes[p].trainable) continue;
      const ParameterShape& shape = set.shapes[p];
      Elements elements;
      elements.count = shape.numel();
      elements.weights = set.leaves[p].data_ptr<float>();
      elements.gradient = gradients[p].data_ptr();
      for (const Tensors& values : state_) elements.state.push_back(values[p].data_ptr<float>());
      places[p] = {shape.name, shape.shape, 0, elements.count};
      all.push_back({elements, {&places[p], 1}});
    }
    optimizer_.update(all, options);
  }

  const TrainingConfig& config_;
  const ContributionObserver& contributed_;
  const Task& task_;
  SumOrder order_;
  const Mesh mesh_;
  const int data_ranks_;  // a rank here is one of them: a copy of the model
  const at::TensorOptions fp32_;
  const std::unique_ptr<Model> model_;
  Optimizer optimizer_;
  Sampler sampler_;
  Tensors buffers_;             // [rank * buffers + buffer]
  std::vector<Tensors> state_;  // [state][parameter]
  double loss_sum_ = 0;
};

}  // namespace

EmulationResult emulate(const TrainingConfig& config, const Task& task, SumOrder order,
                        const ParameterObserver& observe, const ContributionObserver& contributed) {
  RINGSIDE_CHECK(config.precision == Precision::kFloat32, "the emulation is fp32");
  const KeepThreadCounts thread_counts;
  use_one_thread();  // products over two threads round differently
  const RankOnDevice on_device(config.device, 0);
  return Emulation(config, task, order, contributed).run(observe);
}

EmulationResult emulate(const TrainerConfig& config, const Dataset& dataset, SumOrder order,
                        const ParameterObserver& observe, const ContributionObserver& contributed) {
  return emulate(config, *classifier_task(config, dataset), order, observe, contributed);
}

BitReference reference_bits(const TrainerConfig& config, const Dataset& dataset, SumOrder order) {
  BitReference reference;
  emulate(config, dataset, order, reference.recorder());
  return reference;
}

}  // namespace ringside::inline training
