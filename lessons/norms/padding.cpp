// What padding, the size of a batch and the running average do to outputs.
#include "blocks.h"
#include "ringside/nn/batch_norm.h"

namespace ringside::lessons::norms {
namespace {

constexpr int64_t kLongest = 16, kWidth = 32;
const std::vector<int64_t> kRealTokens = {2, 4, 5, 7, 9, 11, 14, 16};

// (B, 16, 32) and which of its tokens are real; what is not is 0.
std::pair<at::Tensor, at::Tensor> batch_of_lengths() {
  const at::Tensor real = real_tokens(kRealTokens, kLongest);
  const at::Tensor x = noise({std::ssize(kRealTokens), kLongest, kWidth}, 2) * 2 + 1;
  return {x.masked_fill(real.logical_not().unsqueeze(-1), 0), real};
}

// (B, 16, 32): the norm on the real tokens alone, without a position of padding. 0 elsewhere.
at::Tensor without_padding(const std::string& norm, const at::Tensor& x, const at::Tensor& real) {
  const at::Tensor y = at::zeros_like(x);
  y.index_put_({real}, normalised(norm, x.index({real})));
  return y;
}

// A mean and a variance for each position and feature: the norm on a position after the other.
at::Tensor by_position(const at::Tensor& x, const std::function<at::Tensor(int64_t)>& of_position) {
  std::vector<at::Tensor> all;
  for (int64_t t = 0; t < x.size(1); ++t) all.push_back(of_position(t));
  return at::cat(all, 1);
}

void record_positions(Recorder& plain_pen, Recorder& masked_pen) {
  const auto [x, real] = batch_of_lengths();
  const auto record = [&, &x = x, &real = real](const char* name, const at::Tensor& plain,
                                                const at::Tensor& masked, const at::Tensor& right) {
    for (int64_t t = 0; t < kLongest; ++t) {
      const at::Tensor here = real.select(1, t);
      const auto off = [&](const at::Tensor& y) {
        return apart(y.select(1, t).index({here}), right.select(1, t).index({here}));
      };
      record_point(plain_pen, name, double(t), off(plain));
      record_point(masked_pen, name, double(t), off(masked));
    }
  };
  for (const auto& [name, norm] : {std::pair(kOverTokens, "batch"), {kByLayer, "layer"}})
    record(name, normalised(norm, x), normalised(norm, x, real), without_padding(norm, x, real));
  const auto at_position = [&x = x, &real = real](int64_t t) {
    return std::pair(x.narrow(1, t, 1), real.narrow(1, t, 1));
  };
  record(kByPosition, by_position(x, [&](int64_t t) { return normalised("batch", at_position(t).first); }),
         by_position(
             x, [&](int64_t t) { return normalised("batch", at_position(t).first, at_position(t).second); }),
         by_position(x, [&](int64_t t) {
           return without_padding("batch", at_position(t).first, at_position(t).second);
         }));
}

struct OneLayer {  // batch norm by itself, with the statistics it keeps
  BatchNormLayer layer;
  ParameterSet set;
  Buffers buffers;
  explicit OneLayer(int64_t width) {
    Declaration model;
    model.begin_unit("unit", "");
    layer.declare(model, "norm", width, false);
    set = ParameterSet::of(model);
    set.leaves = {at::ones({width}), at::zeros({width})};
    buffers = Buffers(model.buffers());
  }
  at::Tensor operator()(const at::Tensor& x, Mode mode = Mode::kTrain) const {
    return output_of(layer, set, buffers, x, {.mode = mode});
  }
};

}  // namespace

// How the real tokens' outputs change with more padding behind each sample.
void record_padding(const Pens& pen) {
  const auto [x, real] = batch_of_lengths();
  const auto real_outputs = [&x = x, &real = real](const std::string& norm, int64_t added, bool masked) {
    const at::Tensor more = at::constant_pad_nd(x, {0, 0, 0, added}),
                     mask = at::constant_pad_nd(real, {0, added});
    return normalised(norm, more, masked ? mask : at::Tensor()).index({mask});
  };
  Recorder &plain = pen(kPadding), &with_mask = pen(kMasked);
  for (const std::string& norm : kNames)
    for (const int64_t added : {0, 8, 16, 32})
      for (const bool masked : {false, true}) {
        const double change = relative(real_outputs(norm, added, masked), real_outputs(norm, 0, masked));
        record_point(masked ? with_mask : plain, norm, double(added), change);
      }
  record_positions(pen(kPositions), pen(kMaskedPositions));
}

// 300 batches of one size, then one more as training sees it and as evaluation does; and that one with other
// samples beside its first. And one batch ten times: what is left of the running variance's start, 1.
void record_batches(const Pens& pen) {
  Recorder &gap = pen(kGap), &running = pen(kRunning);
  constexpr int64_t kBatches = 300;
  for (const int64_t batch : {2, 4, 8, 16, 32, 64}) {
    const OneLayer norm(kWidth);
    const at::Tensor all = noise({kBatches + 1, batch, kWidth}, 3) * 2 + 1;
    at::Tensor trained;
    for (int64_t i = 0; i <= kBatches; ++i) trained = norm(all[i]);
    const at::Tensor evaluated = norm(all[kBatches], Mode::kEvaluate);
    at::Tensor others = all[0].clone();
    others[0].copy_(all[kBatches][0]);
    record_point(gap, kEvaluated, double(batch), relative(trained, evaluated));
    record_point(gap, kOthers, double(batch), apart(norm(others)[0], trained[0]));
  }
  const OneLayer norm(1);
  const at::Tensor x = noise({8, 1}, 11) * 3, whole = x.var(0, /*unbiased=*/true);
  for (int64_t seen = 1; seen <= 10; ++seen) {
    norm(x);
    const at::Tensor kept = norm.buffers[norm.layer.running_var];
    record_point(running, kVariance, double(seen), ((kept - whole) / (1 - whole)).item<double>());
  }
}

}  // namespace ringside::lessons::norms
