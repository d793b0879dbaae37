// Weights before norms: their scale, their length while SGD trains them, gradients by depth. And what a norm
// costs.
#include <ATen/core/grad_mode.h>

#include "blocks.h"
#include "ringside/base/random.h"
#include "ringside/nn/classifier.h"
#include "ringside/tensor/torch_adapter.h"

namespace ringside::lessons::norms {
namespace {

// Of a loss that is linear in y = layer norm(x W^T).
at::Tensor gradient_before_norm(const at::Tensor& x, const at::Tensor& w, const at::Tensor& dy,
                                at::Tensor* y = nullptr) {
  const at::Tensor weight = w.detach().clone().set_requires_grad(true);
  const at::Tensor out = normalised("layer", at::linear(x, weight));
  run_backward((out * dy).sum());
  if (y != nullptr) *y = out.detach();
  return weight.grad();
}

// With W scaled: the norm takes the scale out again, and divides the gradient by it.
void record_scales(Recorder& recorder) {
  const at::Tensor x = noise({64, 32}, 4), base = noise({32, 32}, 5), target = noise({64, 32}, 6);
  at::Tensor first, y;
  const at::Tensor at_one = gradient_before_norm(x, base, target, &first);
  for (const double scale : {0.25, 0.5, 1.0, 2.0, 4.0}) {
    const at::Tensor gradient = gradient_before_norm(x, base * scale, target, &y);
    const double times = (gradient.norm() / at_one.norm()).item<double>();
    record_row(recorder, ScaleRow{scale, times, relative(y, first)});
  }
}

// SGD with weight decay; each step has targets of its own. The gradient is orthogonal to the weight, so that
// it turns it and makes it longer; decay makes it shorter.
void record_turns(Recorder& turns, Recorder& lengths) {
  constexpr int64_t kSteps = 300;
  const at::Tensor x = noise({16, 32}, 4), base = noise({32, 32}, 5) * 0.1;
  for (const auto& [rate, decay] : kRates) {
    const std::string name = name_of(rate, decay);
    at::Tensor w = base;
    for (int64_t step = 1; step <= kSteps; ++step) {
      const at::Tensor target = noise({16, 32}, 1000 + uint64_t(step)) / 16;
      const at::Tensor next = w - rate * (gradient_before_norm(x, w, target) + decay * w);
      const double cosine = ((w * next).sum() / (w.norm() * next.norm())).item<double>();
      record_point(turns, name, double(step), std::acos(std::min(cosine, 1.0)) * 180 / M_PI);
      record_point(lengths, name, double(step), (next.norm() / base.norm()).item<double>());
      w = next;
    }
  }
}

// Values for every parameter; a model that is to be looked at alone has matrices of another deviation.
void fill(ParameterSet& set, double times) {
  for (size_t p = 0; p < set.leaves.size(); ++p) {
    at::Tensor leaf = at::empty(set.shapes[p].shape);
    initialize(leaf, set.shapes[p], 0);
    if (leaf.dim() == 2) leaf.mul_(times);
    set.leaves[p] = leaf.set_requires_grad(true);
  }
}

// Forward and backward of a classifier on one batch.
Way training_step(const char* name, NormKind norm) {
  ClassifierConfig config;
  config.norm = norm;
  config.fused = true;
  const auto model = std::make_shared<Classifier>(config, 32);
  fill(model->parameters(), 1);
  const Batch batch{at::arange(8 * 32, at::kLong).reshape({8, 32}), at::full({8}, 31, at::kLong),
                    at::arange(8, at::kLong) % 4, at::ones({8})};
  return way(name, [model, batch] { run_backward(weighted_loss(model->forward(batch, {}).logits, batch)); });
}

Way one_norm(const char* name, bool rms) {
  const at::Tensor x = noise({1024, 512}, 8).set_requires_grad(true), dy = noise({1024, 512}, 9),
                   weight = at::ones({512}).set_requires_grad(true),
                   bias = at::zeros({512}).set_requires_grad(true);
  return way(name, [=] {
    const at::Tensor y = rms ? fused_rms_norm(x, weight, kEps) : layer_norm(x, weight, bias, kEps);
    y.backward(dy);
  });
}

}  // namespace

void record_weights(const Pens& pen) {
  record_scales(pen(kScale));
  record_turns(pen(kTurns), pen(kLengths));
}

void record_depth(const Pens& pen, int64_t layers) {
  Recorder& recorder = pen(kDepth);
  for (const NormPlace where : {NormPlace::kPre, NormPlace::kPost}) {
    int64_t layer = 0;
    ClassifierConfig config{.hidden = 32, .intermediate = 64, .layers = layers};
    config.where = where;
    config.norm = NormKind::kLayer;
    Classifier model(config, 16);
    ParameterSet& set = model.parameters();
    fill(set, 0.18 / 0.02);  // 1 / sqrt(H), as Xavier has it; embedded tokens have variance 1
    {
      const at::NoGradGuard guard;
      set.leaves[0].div_(0.18);
    }
    Batch batch{at::empty({64, 1}, at::kLong), at::zeros({64}, at::kLong), at::arange(64, at::kLong) % 4,
                at::ones({64})};  // one token a sample, so that all count in every layer
    RandomStream stream(7, "tokens");
    for (int64_t i = 0; i < batch.tokens.numel(); ++i)
      batch.tokens.data_ptr<int64_t>()[i] = int64_t(stream.below(256));
    run_backward(weighted_loss(model.forward(batch, {}).logits, batch));
    for (size_t p = 0; p < set.leaves.size(); ++p)
      if (set.shapes[p].name.ends_with("down_proj.weight"))
        record_point(recorder, where == NormPlace::kPre ? kPre : kPost, double(layer++),
                     set.leaves[p].grad().norm().item<double>());
  }
}

void record_times(const Pens& pen) {
  record_timings({one_norm(kByLayer, false), one_norm(kByRms, true),
                  training_step(kLayerStep, NormKind::kLayer), training_step(kRmsStep, NormKind::kRms)},
                 {.rounds = 24, .ns = 10e6}, pen(kTimes));
}

}  // namespace ringside::lessons::norms
