// A model of three units small enough to train beside a plain loop, with parameters that a
// classifier does not have: frozen beside trainable, never used, and used only now and then.
#pragma once

#include <functional>
#include <string>

#include "on_ranks.h"
#include "ringside/base/random.h"
#include "ringside/data_parallel/strategy.h"
#include "ringside/tensor/memory_hook.h"
#include "ringside/tensor/torch_adapter.h"

namespace ringside::testing {

class ToyModel {
 public:
  static constexpr size_t kFrozen = 1;  // "in.shift"

  ToyModel() {
    parameters.shapes = {{"in.weight", 0, {5, 3}},      {"in.shift", 0, {5}, false}, {"in.never", 0, {7}},
                         {"mid.mix", 1, {5, 5}, false}, {"mid.weight", 1, {5, 5}},   {"mid.gate", 1, {5}},
                         {"out.weight", 2, {2, 5}},     {"out.gate", 2, {2}},        {"out.bias", 2, {1}}};
    parameters.leaves.resize(parameters.shapes.size());
    parameters.units = 3;
    parameters.unit_names = {"in", "mid", "out"};
  }

  // x: (B, 3). Gates belong to the sum only where they are used.
  at::Tensor loss(const at::Tensor& x, UnitHooks& hooks, bool uses_gates) const {
    const auto& p = parameters.leaves;
    const auto through = [&](int unit, auto&& compute) {
      hooks.before_forward(unit);
      return hooks.after_forward(unit, compute());
    };
    at::Tensor h = through(0, [&] { return at::tanh(at::linear(x.to(p[0].scalar_type()), p[0]) + p[1]); });
    h = through(1, [&] {  // backward needs the frozen mix after the gradients of the unit's own
      const at::Tensor z = at::linear(at::linear(h, p[3]), p[4]);
      return at::tanh(uses_gates ? z * p[5] : z);
    });
    const at::Tensor y = through(2, [&] {
      const at::Tensor z = at::linear(h, p[6]);
      return (uses_gates ? z * p[7] : z) + p[8];
    });
    return y.to(at::kFloat).pow(2).sum();
  }

  // Of several inputs, one after the other through the same units, as of two texts through one encoder.
  at::Tensor loss_of(int64_t step, int64_t micro, int rank, int64_t forwards, UnitHooks& hooks,
                     bool uses_gates) const {
    at::Tensor sum = loss(input(step, micro, rank), hooks, uses_gates);
    for (int64_t k = 1; k < forwards; ++k)
      sum = sum + loss(input(step, micro + 8 * k, rank), hooks, uses_gates);
    return sum;
  }

  // The initial value of parameter p, and what a rank sees in a micro-batch: from streams of their own.
  static void initial(size_t p, const at::Tensor& out) { fill(out, RandomStream(1, "toy parameter", p)); }
  static at::Tensor input(int64_t step, int64_t micro, int rank) {
    const at::Tensor x = at::empty({2, 3});
    fill(x, RandomStream(2, "toy input", static_cast<uint64_t>((step * 16 + micro) * 16 + rank)));
    return x;
  }

  ParameterSet parameters;

 private:
  static void fill(const at::Tensor& out, RandomStream stream) {
    for (int64_t i = 0; i < out.numel(); ++i) out.data_ptr<float>()[i] = static_cast<float>(stream.normal());
  }
};

struct ToyRun {
  int ranks = 3;
  int64_t steps = 4;
  int64_t accumulate = 1;
  int64_t forwards = 1;  // of a micro-batch, before its backward
  Distribution options{.precision = Precision::kFloat32, .clip_norm = 0.5};
  OptimizerConfig optimizer{.values = {{"weight_decay", 0.1}}};
  std::function<bool(int rank, int64_t step)> uses_gates = [](int, int64_t) { return true; };

  StepOptions step_options(int64_t step) const {
    return {.learning_rate = 0.05, .step = step + 1, .samples = static_cast<double>(2 * ranks * accumulate)};
  }
};

// What is compared: every byte of every parameter in order, and the norms.
struct ToyResult {
  std::string bytes;
  std::vector<double> norms;
  int64_t live_bytes = 0;  // after everything of the rank has died
  bool operator==(const ToyResult&) const = default;
};

using MakeStrategy = std::function<std::unique_ptr<Strategy>(const StrategySetup&)>;

inline void append_bytes(std::string& bytes, const at::Tensor& tensor) {
  bytes.append(static_cast<const char*>(tensor.data_ptr()),
               static_cast<size_t>(tensor.numel() * tensor.element_size()));
}

inline void train_toy_rank(const ToyRun& run, const MakeStrategy& make, ProcessGroup& group,
                           Recorder* recorder, ToyResult& result) {
  ToyModel model;
  const auto optimizer = make_optimizer(run.optimizer);
  const auto strategy = make({model.parameters, group, optimizer, run.options, recorder});
  strategy->load([](size_t p, const at::Tensor& out) { ToyModel::initial(p, out); });
  for (int64_t step = 0; step < run.steps; ++step) {
    strategy->begin_step(step);
    for (int64_t micro = 0; micro < run.accumulate; ++micro) {
      strategy->begin_micro_batch(micro + 1 == run.accumulate);
      run_backward(model.loss_of(step, micro, group.rank(), run.forwards, *strategy,
                                 run.uses_gates(group.rank(), step)));
      strategy->end_micro_batch();
    }
    result.norms.push_back(strategy->step(run.step_options(step)).value_or(0));
  }
  strategy->visit_parameters([&](size_t, const at::Tensor& tensor) { append_bytes(result.bytes, tensor); });
}

// One result a rank.
inline std::vector<ToyResult> train_toy(const ToyRun& run, const MakeStrategy& make,
                                        const ThreadGroupOptions& options = {}) {
  std::vector<ToyResult> results(static_cast<size_t>(run.ranks));
  on_ranks(run.ranks, options, [&](ProcessGroup& group) {
    use_one_thread();
    const auto rank = static_cast<size_t>(group.rank());
    MemoryHook memory(nullptr);
    train_toy_rank(run, make, group, options.recorders.empty() ? nullptr : options.recorders[rank],
                   results[rank]);
    results[rank].live_bytes = memory.live_total();
  });
  return results;
}

// The same training in one plain loop: whole tensors, ranks one after the other. With
// `reduce_first`, micro-batches are added after the ranks, else before.
class ToyAlone {
 public:
  explicit ToyAlone(const ToyRun& run, bool reduce_first = false) : run_(run), reduce_first_(reduce_first) {
    for (size_t p = 0; p < model_.parameters.shapes.size(); ++p) {
      const ParameterShape& shape = model_.parameters.shapes[p];
      ToyModel::initial(p, model_.parameters.leaves[p] = at::empty(shape.shape));
      model_.parameters.leaves[p].set_requires_grad(shape.trainable);
      state_.push_back({at::zeros(shape.shape), at::zeros(shape.shape)});
    }
  }

  ToyResult train() {
    ToyResult result;
    for (int64_t step = 0; step < run_.steps; ++step) result.norms.push_back(update(gradients(step), step));
    for (const at::Tensor& leaf : model_.parameters.leaves) append_bytes(result.bytes, leaf);
    return result;
  }

 private:
  using Tensors = std::vector<at::Tensor>;

  Tensors zeros() const {
    Tensors tensors;
    for (const ParameterShape& shape : model_.parameters.shapes) tensors.push_back(at::zeros(shape.shape));
    return tensors;
  }
  void add_backward(const Tensors& gradients, int64_t step, int64_t micro, int rank) {
    for (size_t p = 0; p < gradients.size(); ++p) {
      if (model_.parameters.shapes[p].trainable) model_.parameters.leaves[p].mutable_grad() = gradients[p];
    }
    UnitHooks no_hooks;
    run_backward(model_.loss_of(step, micro, rank, run_.forwards, no_hooks, run_.uses_gates(rank, step)));
  }
  static void add(const Tensors& total, const Tensors& more) {
    for (size_t p = 0; p < total.size(); ++p) total[p].add_(more[p]);
  }

  // A sum over ranks starts from the first rank's gradient.
  Tensors gradients(int64_t step) {
    const int64_t outer = reduce_first_ ? run_.accumulate : 1, inner = reduce_first_ ? 1 : run_.accumulate;
    const Tensors total = zeros();
    for (int64_t o = 0; o < outer; ++o) {
      Tensors over_ranks;
      for (int rank = 0; rank < run_.ranks; ++rank) {
        const Tensors own = zeros();
        for (int64_t i = 0; i < inner; ++i) add_backward(own, step, o * inner + i, rank);
        if (over_ranks.empty())
          over_ranks = own;
        else
          add(over_ranks, own);
      }
      add(total, over_ranks);
    }
    return total;
  }

  double update(const Tensors& gradients, int64_t step) {
    const StepOptions options = run_.step_options(step);
    ExactSquareSum squares;
    for (const at::Tensor& g : gradients) squares.add(g.data_ptr(), g.numel(), Dtype::kFloat32);
    const double norm = std::sqrt(squares.value()) / options.samples;
    const double factor = std::min(1.0, run_.options.clip_norm / (norm + 1e-6));
    const auto optimizer = make_optimizer({.values = {{"weight_decay", 0.1}}});
    for (size_t p = 0; p < gradients.size(); ++p) {
      if (!model_.parameters.shapes[p].trainable) continue;
      Elements elements;
      elements.count = gradients[p].numel();
      elements.weights = model_.parameters.leaves[p].data_ptr<float>();
      elements.gradient = gradients[p].data_ptr();
      for (const at::Tensor& values : state_[p]) elements.state.push_back(values.data_ptr<float>());
      optimizer.update(elements, {.learning_rate = options.learning_rate,
                                  .step = options.step,
                                  .gradient_scale = static_cast<float>(factor / options.samples)});
    }
    return norm;
  }

  const ToyRun& run_;
  bool reduce_first_;
  ToyModel model_;
  std::vector<Tensors> state_;  // [parameter]: m and v
};

// "", or which rank's result is not the expected one.
inline std::string odd_one_out(const std::vector<ToyResult>& results, const ToyResult& expected) {
  for (size_t rank = 0; rank < results.size(); ++rank) {
    if (results[rank].live_bytes != 0) return "rank " + std::to_string(rank) + " leaked";
    if (results[rank].norms != expected.norms) return "rank " + std::to_string(rank) + " has another norm";
    if (results[rank].bytes != expected.bytes) return "rank " + std::to_string(rank) + " has other bits";
  }
  return "";
}

}  // namespace ringside::testing
