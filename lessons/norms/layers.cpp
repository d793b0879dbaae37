// Norms on tensors: what moves with what.
#include <ATen/ATen.h>

#include "parts.h"
#include "ringside/base/random.h"
#include "ringside/nn/batch_norm.h"
#include "ringside/nn/classifier.h"
#include "ringside/nn/norm.h"
#include "ringside/nn/set_norm.h"
#include "ringside/tensor/torch_adapter.h"

namespace ringside::norms_lesson {
namespace {

constexpr double kEps = 1e-5;

at::Tensor noise(at::IntArrayRef shape, uint64_t seed) {
  const at::Tensor x = at::empty(shape);
  RandomStream stream(seed, "norms");
  for (int64_t i = 0; i < x.numel(); ++i) x.data_ptr<float>()[i] = static_cast<float>(stream.normal());
  return x;
}

at::Tensor output_of(const std::string& norm, const at::Tensor& x, const at::Tensor& real) {
  const int64_t H = x.size(-1);
  const at::Tensor weight = at::ones({H}), bias = at::zeros({H});
  BatchStatistics unused;
  if (norm == "layer") return layer_norm(x, weight, bias, kEps);
  if (norm == "rms") return fused_rms_norm(x, weight, kEps);
  if (norm == "batch") return train_batch_norm(x, weight, bias, kEps, real, nullptr, norm, unused);
  return group_norm(x, weight, bias, norm == "group" ? kGroups : H, kEps, real);
}

double relative(const at::Tensor& a, const at::Tensor& b) {
  return (a - b).norm().item<double>() / b.norm().item<double>();
}

// true for the first tokens of each sample, as many as it has.
at::Tensor real_tokens(const std::vector<int64_t>& lengths, int64_t tokens) {
  at::Tensor real = at::zeros({std::ssize(lengths), tokens}, at::kBool);
  for (size_t b = 0; b < lengths.size(); ++b)
    real[static_cast<int64_t>(b)].narrow(0, 0, lengths[b]).fill_(true);
  return real;
}

}  // namespace

void record_cells(Recorder& recorder) {
  const at::Tensor real = real_tokens({kTokens, kTokens - 1}, kTokens),
                   x = noise({kSamples, kTokens, kFeatures}, 1);
  at::Tensor changed = x.clone();
  changed[0][kChangedToken][kChangedFeature] += 0.5;
  for (const std::string& norm : kNames) {
    const at::Tensor moved = (output_of(norm, changed, real) - output_of(norm, x, real)).abs();
    for (int64_t b = 0; b < kSamples; ++b)
      for (int64_t t = 0; t < kTokens; ++t)
        for (int64_t h = 0; h < kFeatures; ++h)
          record_row(recorder, CellRow{norm, b, t, h, moved[b][t][h].item<double>()});
  }
}

// A batch of 2 to 16 tokens a sample: how its real tokens' outputs change with the padding behind them.
void record_padding(Recorder& recorder) {
  constexpr int64_t kLongest = 16;
  const std::vector<int64_t> lengths = {2, 4, 5, 7, 9, 11, 14, 16};
  const auto padded = [&](int64_t added) {
    const at::Tensor tokens = noise({std::ssize(lengths), kLongest, 32}, 2) * 2 + 1;
    const at::Tensor real = real_tokens(lengths, kLongest + added);
    const at::Tensor x = at::constant_pad_nd(tokens, {0, 0, 0, added});
    return std::pair(x.masked_fill(real.logical_not().unsqueeze(-1), 0), real);
  };
  const auto real_outputs = [&](const std::string& norm, int64_t added, bool masked) {
    const auto [x, real] = padded(added);
    return output_of(norm, x, masked ? real : at::Tensor()).index({real});
  };
  for (const std::string& norm : kNames)
    for (const int64_t added : {0, 8, 16, 32}) {
      const auto change = [&](bool masked) {
        return relative(real_outputs(norm, added, masked), real_outputs(norm, 0, masked));
      };
      record_row(recorder, PaddingRow{norm, added, change(false), change(true)});
    }
}

// Least squares over features of scales 1, 4, 16, 64: its Hessian is X^T X / n.
void record_descent(Recorder& recorder) {
  constexpr int64_t kCount = 256;
  const at::Tensor scales = at::tensor({1.0f, 4.0f, 16.0f, 64.0f}), base = noise({kCount, 4}, 10);
  const at::Tensor target = base.sum(1, true);
  for (const bool normed : {false, true}) {
    const at::Tensor x = normed ? output_of("batch", base * scales, {}) : base * scales;
    const at::Tensor hessian = at::matmul(x.t(), x) / kCount;
    const at::Tensor eigenvalues = at::linalg_eigvalsh(hessian.to(at::kDouble));  // rising
    const double most = eigenvalues[3].item<double>(), condition = most / eigenvalues[0].item<double>();
    at::Tensor w = at::zeros({4, 1});
    const double first = target.pow(2).mean().item<double>();
    for (int64_t step = 0; step <= 100; ++step) {
      const at::Tensor error = at::matmul(x, w) - target;
      const double loss = error.pow(2).mean().item<double>() / first;
      record_row(recorder, DescentRow{normed ? kNormed : kRaw, condition, step, loss});
      w = w - at::matmul(x.t(), error) / (kCount * most);
    }
  }
}

// 300 batches of one size, then one more as training sees it and as evaluation does.
void record_gap(Recorder& recorder) {
  constexpr int64_t kBatches = 300, kWidth = 32;
  for (const int64_t batch : {64, 32, 16, 8, 4, 2, 1}) {
    Declaration model;
    model.begin_unit("unit", "");
    BatchNormLayer layer;
    layer.declare(model, "norm", kWidth, false);
    ParameterSet set = ParameterSet::of(model);
    set.leaves = {at::ones({kWidth}), at::zeros({kWidth})};
    const Buffers buffers(model.buffers());
    const at::Tensor all = noise({kBatches + 1, batch, kWidth}, 3) * 2 + 1;
    at::Tensor trained;
    for (int64_t i = 0; i <= kBatches; ++i) trained = ringside::output_of(layer, set, buffers, all[i], {});
    const at::Tensor evaluated =
        ringside::output_of(layer, set, buffers, all[kBatches], {.mode = Mode::kEvaluate});
    record_row(recorder, GapRow{batch, relative(trained, evaluated)});
  }
}

// y = layer norm(x W^T) with W scaled: the norm takes the scale out again, and divides the gradient by it.
void record_scales(Recorder& recorder) {
  const at::Tensor x = noise({64, 32}, 4), base = noise({32, 32}, 5), target = noise({64, 32}, 6);
  at::Tensor first;
  double gradient = 0;
  for (const double scale : {1.0, 0.5, 0.25, 2.0, 4.0}) {
    const at::Tensor weight = (base * scale).set_requires_grad(true);
    const at::Tensor y = layer_norm(at::linear(x, weight), at::ones({32}), at::zeros({32}), kEps);
    run_backward((y * target).sum());
    const double norm = weight.grad().norm().item<double>();
    if (!first.defined()) first = y.detach(), gradient = norm;
    record_row(recorder, ScaleRow{scale, relative(y.detach(), first), norm / gradient});
  }
}

void record_depth(int64_t layers, Recorder& recorder) {
  std::vector<double> norms[2];
  for (const NormPlace where : {NormPlace::kPre, NormPlace::kPost}) {
    ClassifierConfig config{.hidden = 32, .intermediate = 64, .layers = layers};
    config.where = where;
    config.norm = NormKind::kLayer;
    Classifier model(config, 16);
    ParameterSet& set = model.parameters();
    for (size_t p = 0; p < set.leaves.size(); ++p) {
      at::Tensor leaf = at::empty(set.shapes[p].shape);
      initialize(leaf, set.shapes[p], 0);
      if (leaf.dim() == 2) leaf.mul_(0.18 / 0.02);  // 1 / sqrt(H), as Xavier has it
      set.leaves[p] = leaf.set_requires_grad(true);
    }
    Batch batch{at::empty({64, 1}, at::kLong), at::zeros({64}, at::kLong), at::arange(64, at::kLong) % 4,
                at::ones({64})};  // one token a sample, so that all count in every layer
    RandomStream stream(7, "tokens");
    for (int64_t i = 0; i < batch.tokens.numel(); ++i)
      batch.tokens.data_ptr<int64_t>()[i] = static_cast<int64_t>(stream.below(256));
    run_backward(weighted_loss(model.forward(batch, {}).logits, batch));
    for (size_t p = 0; p < set.leaves.size(); ++p)
      if (set.shapes[p].name.ends_with("down_proj.weight"))
        norms[static_cast<size_t>(where)].push_back(set.leaves[p].grad().norm().item<double>());
  }
  for (size_t i = 0; i < norms[0].size(); ++i)
    record_row(recorder, DepthRow{static_cast<int64_t>(i), norms[0][i], norms[1][i]});
}

namespace {

// Forward and backward of a classifier on one batch.
Way training_step(const char* name, NormKind norm) {
  ClassifierConfig config;
  config.norm = norm;
  config.fused_rms_norm = true;
  const auto model = std::make_shared<Classifier>(config, 32);
  ParameterSet& set = model->parameters();
  for (size_t p = 0; p < set.leaves.size(); ++p) {
    set.leaves[p] = at::empty(set.shapes[p].shape);
    initialize(set.leaves[p], set.shapes[p], 0);
    set.leaves[p].set_requires_grad(true);
  }
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

void record_times(Recorder& recorder) {
  record_timings({one_norm(kLayerNorm, false), one_norm(kRmsNorm, true),
                  training_step(kLayerStep, NormKind::kLayer), training_step(kRmsStep, NormKind::kRms)},
                 {.rounds = 12, .ns = 5e6}, recorder);
}

}  // namespace ringside::norms_lesson
