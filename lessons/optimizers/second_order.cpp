// What second derivatives cost: stored Hessians of growing networks by their bytes, and a Hessian-vector
// product of the classifier against its backward pass, by time and memory.
#include <torch/csrc/autograd/autograd.h>

#include "parts.h"
#include "ringside/base/source_tree.h"
#include "ringside/nn/classifier.h"
#include "ringside/planner/model_shapes.h"
#include "ringside/second_order/derivatives.h"
#include "ringside/tensor/peak_memory.h"

namespace ringside::lessons::optimizers {
namespace {

constexpr int64_t kInputs = 8, kSamples = 32, kLongest = 32, kBatch = 8;

// w2 . tanh(W1 x): 9 parameters a hidden unit.
HessianRow stored_hessian(int64_t hidden) {
  const at::Tensor x = at::sin(at::arange(kSamples * kInputs, at::kFloat)).view({kSamples, kInputs});
  const at::Tensor first = at::cos(at::arange(hidden * kInputs, at::kFloat)).view({hidden, kInputs});
  const at::Tensor second = at::sin(at::arange(hidden, at::kFloat)) / double(hidden);
  first.requires_grad_(true), second.requires_grad_(true);
  const at::Tensor out = at::tanh(x.mm(first.t())).mv(second);
  const Derivatives at_w(out.square().mean(), {first, second});
  return {at_w.size(), kept_bytes_of([&] { return at_w.hessian(); })};
}

class Small {  // a classifier with values, and a batch of tokens
 public:
  Small() : model_({.hidden = 64, .intermediate = 128, .layers = 2}, kLongest) {
    ParameterSet& set = model_.parameters();
    for (size_t i = 0; i < set.shapes.size(); ++i) {
      set.leaves[i] = at::empty(set.shapes[i].shape, at::kFloat);
      initialize(set.leaves[i], set.shapes[i], 1);
      set.leaves[i].requires_grad_(true);
      parameters_ += set.leaves[i].numel();
    }
    Dataset data = load_dataset({.max_tokens = kLongest});
    std::vector<int64_t> some(kBatch);
    for (int64_t i = 0; i < kBatch; ++i) some[size_t(i)] = i;
    batch_ = make_batch(data.train, some, {kBatch, kLongest});
  }
  at::Tensor loss() { return weighted_loss(model_.forward(batch_, {}).logits, batch_); }
  std::vector<at::Tensor> leaves() { return model_.parameters().leaves; }
  int64_t parameters() const { return parameters_; }

 private:
  Classifier model_;
  Batch batch_;
  int64_t parameters_ = 0;
};

std::vector<at::Tensor> backward(const at::Tensor& loss, const std::vector<at::Tensor>& leaves) {
  return torch::autograd::grad({loss}, leaves, {}, /*retain_graph=*/true);
}

}  // namespace

double model_parameters() {
  const ModelConfig model = read_model_config(assets() / "models/qwen2_5_7b.json");
  return double(count_parameters(model_shapes(model, {.kind = ModelHead::Kind::kLanguageModel})));
}

void run_second_order(const Config& config, const RunContext& context, const Pass& pass) {
  Small small;
  Recorder& pen = *context.store.add_section(kSecond, {{kModelParameters, model_parameters()}}, 1).at(0);
  const auto most = double(config.integer("hessian"));
  for (int64_t hidden = kLeastHidden; hidden <= kMostHidden; hidden *= 2) {
    pass(tr("stored Hessians"), hessian_time(hidden));
    const auto n = double(hidden * (kInputs + 1));
    if (4 * n * n <= most) record_row(pen, stored_hessian(hidden));
  }
  pass(tr("Hessian-vector products"), kProductsTime);
  const at::Tensor v = at::ones({small.parameters()}, at::kFloat), loss = small.loss();
  const Derivatives here(small.loss(), small.leaves());
  record_timings(
      {way(kForward, [&] { small.loss(); }), way(kBackward, [&] { backward(loss, small.leaves()); }),
       way(kProduct, [&] { here.hessian_times(v); })},
      {.rounds = 15, .ns = 20e6}, pen);
  const Trace trace = context.store.snapshot();
  const double product = product_against_backward(trace).median;
  const double a_backward = product_against_gradient(trace).median / product;  // in gradients
  const auto hundredths = [](double number) { return std::round(100 * number) / 100; };
  const auto record = [&](const std::string& name, double times, int64_t peak) {
    const double ms = times * median_ns(trace.find(kSecond), kBackward) * 1e-6;
    record_row(pen, PassRow{name, hundredths(ms), hundredths(times), hundredths(times * a_backward), peak});
  };
  record(kBackward, 1, peak_memory_of([&] { backward(small.loss(), small.leaves()); }));
  record(kProduct, product,
         peak_memory_of([&] { Derivatives(small.loss(), small.leaves()).hessian_times(v); }));
  record(tr("all of H, calculated"), product * double(small.parameters()),
         4 * small.parameters() * small.parameters());
}

}  // namespace ringside::lessons::optimizers
