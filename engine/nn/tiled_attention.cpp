#include "ringside/nn/tiled_attention.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "graph_node.h"
#include "ringside/base/error.h"
#include "ringside/nn/layers.h"

namespace ringside::inline nn {
namespace {

// Which tiles there are, and what a tile of scores hides.
struct Tiles {
  TiledAttention how;
  int64_t T;
  double scale;

  int64_t count() const { return (T + how.tile - 1) / how.tile; }
  at::Tensor of(const at::Tensor& x, int64_t tile) const {  // (B, A, t, d)
    return x.narrow(2, tile * how.tile, std::min(how.tile, T - tile * how.tile));
  }
  bool sees(int64_t i, int64_t j) const {
    if (how.causal && j > i) return false;
    return how.window == 0 || (j + 1) * how.tile > i * how.tile - how.window + 1;
  }
  at::Tensor scores(const at::Tensor& q, const at::Tensor& k, int64_t i, int64_t j) const {  // (B, A, t, t')
    at::Tensor s = at::matmul(q, k.transpose(2, 3)).mul_(scale);
    const bool whole =
        !how.causal || (j < i && (how.window == 0 || (i + 1) * how.tile - j * how.tile <= how.window));
    if (whole) return s;
    const at::TensorOptions positions = q.options().dtype(at::kLong);
    const at::Tensor row = at::arange(q.size(2), positions).unsqueeze(1) + i * how.tile;
    const at::Tensor behind =
        row - (at::arange(k.size(2), positions) + j * how.tile);  // tokens between key and query
    at::Tensor hidden = behind.lt(0);
    if (how.window > 0) hidden = hidden.logical_or(behind.ge(how.window));
    return s.masked_fill_(hidden, -std::numeric_limits<double>::infinity());
  }
};

Tiles tiles_of(const TiledAttention& how, const at::Tensor& q) {
  return {how, q.size(2), 1 / std::sqrt(double(q.size(3)))};
}

struct Attention : torch::autograd::Function<Attention> {
  static at::Tensor forward(AutogradContext* context, const at::Tensor& q, const at::Tensor& k,
                            const at::Tensor& v, const TiledAttention& how) {
    keep(context, how);
    const Tiles tiles = tiles_of(how, q);
    const at::Tensor o = at::empty_like(q),
                     log_sums = at::empty({q.size(0), q.size(1), q.size(2), 1}, q.options());
    for (int64_t i = 0; i < tiles.count(); ++i) {
      const at::Tensor q_i = tiles.of(q, i), o_i = tiles.of(o, i).zero_();
      at::Tensor most = at::full_like(tiles.of(log_sums, i), -std::numeric_limits<double>::infinity());
      at::Tensor sum = at::zeros_like(most);
      for (int64_t j = 0; j < tiles.count(); ++j) {
        if (!tiles.sees(i, j)) continue;
        at::Tensor s = tiles.scores(q_i, tiles.of(k, j), i, j);
        // A row that sees nothing yet keeps the maximum 0 instead of -inf, so that its factor is a number.
        const at::Tensor now =
            at::maximum(most, s.amax(-1, true)).clamp_min_(std::numeric_limits<float>::lowest());
        const at::Tensor p = s.sub_(now).exp_(), factor = (most - now).exp_();
        sum.mul_(factor).add_(p.sum(-1, true));
        o_i.mul_(factor).add_(at::matmul(p, tiles.of(v, j)));
        most = now;
      }
      o_i.div_(sum);
      tiles.of(log_sums, i).copy_(most + sum.log());
    }
    context->save_for_backward({q, k, v, o, log_sums});
    return o;
  }

  static variable_list backward(AutogradContext* context, const variable_list& gradients) {
    const variable_list saved = context->get_saved_variables();
    const at::Tensor &q = saved[0], &k = saved[1], &v = saved[2], &o = saved[3], &log_sums = saved[4];
    const Tiles tiles = tiles_of(kept<TiledAttention>(context), q);
    const at::Tensor dq = at::zeros_like(q), dk = at::zeros_like(k), dv = at::zeros_like(v);
    for (int64_t i = 0; i < tiles.count(); ++i) {
      const at::Tensor q_i = tiles.of(q, i), do_i = tiles.of(gradients[0], i);
      const at::Tensor d_i = (do_i * tiles.of(o, i)).sum(-1, true);
      for (int64_t j = 0; j < tiles.count(); ++j) {
        if (!tiles.sees(i, j)) continue;
        const at::Tensor k_j = tiles.of(k, j);
        const at::Tensor p = tiles.scores(q_i, k_j, i, j).sub_(tiles.of(log_sums, i)).exp_();
        tiles.of(dv, j).add_(at::matmul(p.transpose(2, 3), do_i));
        const at::Tensor ds =
            at::matmul(do_i, tiles.of(v, j).transpose(2, 3)).sub_(d_i).mul_(p).mul_(tiles.scale);
        tiles.of(dq, i).add_(at::matmul(ds, k_j));
        tiles.of(dk, j).add_(at::matmul(ds.transpose(2, 3), q_i));
      }
    }
    return {dq, dk, dv, at::Tensor()};
  }
};

}  // namespace

at::Tensor tiled_attention(const at::Tensor& q, const at::Tensor& k, const at::Tensor& v,
                           const TiledAttention& how) {
  if (how.tile < 1 || how.window < 0)
    throw UsageError("attention: a tile has 1 token or more, a window 0 or more");
  if (how.window > 0 && !how.causal) throw UsageError("attention: a window needs the causal mask");
  return Attention::apply(q, k, v, how);
}

at::Tensor attention_with_scores(const at::Tensor& q, const at::Tensor& k, const at::Tensor& v,
                                 const TiledAttention& how) {
  const int64_t T = q.size(2);
  const auto mask = [&] {  // (T, T)
    const at::Tensor hidden = how.causal ? make_causal_mask(T) : at::zeros({T, T});
    if (how.window == 0) return hidden;
    const at::Tensor behind = at::arange(T).unsqueeze(1) - at::arange(T);
    return hidden.masked_fill_(behind.ge(how.window), -std::numeric_limits<float>::infinity());
  };
  const at::Tensor scores = at::matmul(q, k.transpose(2, 3)) / std::sqrt(double(q.size(3))) + mask();
  return at::matmul(at::softmax(scores, -1), v);
}

}  // namespace ringside::inline nn
