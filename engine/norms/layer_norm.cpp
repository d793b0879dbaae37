#include "ringside/norms/layer_norm.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "lanes.h"

namespace ringside::norms {
namespace {

template <typename Real>
std::vector<double> widened(const Real* x, int64_t count) {
  return {x, x + count};
}

template <typename Real>
RINGSIDE_INLINE void forward_row(const Real* __restrict x, const double* __restrict w,
                                 const double* __restrict b, Real* __restrict y,
                                 const LayerNormForward<Real>& call, int64_t row) {
  const int64_t H = call.rows.width;
  const auto count = static_cast<double>(H);
  const double p = x[0];
  Lanes<double> sum, squares;
  over_lanes(H, [&](int64_t i, int lane) RINGSIDE_INLINE_LAMBDA {
    const double d = x[i] - p;
    sum.part[lane] += d;
    squares.part[lane] += d * d;
  });
  const double d = sum.total() / count;
  const double m = p + d, v = std::max(squares.total() / count - d * d, 0.0);
  const double s = 1 / std::sqrt(v + call.eps);
  for (int64_t i = 0; i < H; ++i) y[i] = static_cast<Real>((x[i] - m) * s * w[i] + b[i]);
  call.mean[row] = m;
  call.scale[row] = s;
}

template <typename Real>
RINGSIDE_INLINE void forward(const LayerNormForward<Real>& call) {
  const int64_t H = call.rows.width;
  const std::vector<double> w = widened(call.weight, H), b = widened(call.bias, H);
  for (int64_t row = 0; row < call.rows.count; ++row)
    forward_row(call.x + row * H, w.data(), b.data(), call.y + row * H, call, row);
}

// Sum: the type of mean(g) and mean(g u).
template <typename Sum, typename Real>
RINGSIDE_INLINE void backward_row(const Real* __restrict x, const Real* __restrict weight,
                                  const double* __restrict w, const Real* __restrict dy, Real* __restrict dx,
                                  int64_t H, double m, double s) {
  const Sum near = static_cast<Sum>(m);
  Lanes<Sum> sum, sum_c;  // of g, of g (x - near)
  over_lanes(H, [&](int64_t i, int lane) RINGSIDE_INLINE_LAMBDA {
    const Sum g = static_cast<Sum>(weight[i]) * dy[i];
    sum.part[lane] += g;
    sum_c.part[lane] += g * (x[i] - near);
  });
  const auto count = static_cast<double>(H);
  const double mean_g = sum.total() / count;
  const double mean_gu = (sum_c.total() / count - mean_g * (m - near)) * s;
  const double a = mean_g * s, b = mean_gu * s * s;  // dx = g s - a - (x - m) b
  for (int64_t i = 0; i < H; ++i) dx[i] = static_cast<Real>(w[i] * dy[i] * s - a - (x[i] - m) * b);
}

// dw += dy u, db += dy, of kRows rows. m = near + low: a large mean has more digits than Sum.
template <int64_t kRows, typename Sum, typename Real>
RINGSIDE_INLINE void add_rows(const Real* __restrict x, const Real* __restrict dy, const double* m,
                              const double* s, int64_t H, double* __restrict dw, double* __restrict db) {
  Sum near[kRows], low[kRows], scale[kRows];
  for (int64_t r = 0; r < kRows; ++r) {
    near[r] = static_cast<Sum>(m[r]);
    low[r] = static_cast<Sum>(m[r] - near[r]);
    scale[r] = static_cast<Sum>(s[r]);
  }
  for (int64_t i = 0; i < H; ++i) {
    Sum sum = 0, sum_u = 0;
    for (int64_t r = 0; r < kRows; ++r) {
      const Sum d = dy[r * H + i];
      sum += d;
      sum_u += d * (((x[r * H + i] - near[r]) - low[r]) * scale[r]);
    }
    db[i] += sum;
    dw[i] += sum_u;
  }
}

template <typename Sum, typename Real>
RINGSIDE_INLINE void backward(const LayerNormBackward<Real>& call) {
  const int64_t H = call.rows.width, M = call.rows.count;
  const std::vector<double> w = widened(call.weight, H);
  std::vector<double> dw(w.size()), db(w.size());  // of a chunk
  const auto take = [&]<int64_t kRows>(int64_t first) RINGSIDE_INLINE_LAMBDA {
    const Real *x = call.x + first * H, *dy = call.dy + first * H;
    const double *m = call.mean + first, *s = call.scale + first;
    for (int64_t r = 0; r < kRows; ++r)
      backward_row<Sum>(x + r * H, call.weight, w.data(), dy + r * H, call.dx + (first + r) * H, H, m[r],
                        s[r]);
    add_rows<kRows, Sum>(x, dy, m, s, H, dw.data(), db.data());
  };
  std::vector<double> sum_dw(w.size()), sum_db(w.size());
  for (int64_t begin = 0; begin < M; begin += kRowsOfChunk) {
    std::ranges::fill(dw, 0);
    std::ranges::fill(db, 0);
    over_rows(begin, std::min(begin + kRowsOfChunk, M), take);
    for (size_t i = 0; i < w.size(); ++i) sum_dw[i] += dw[i], sum_db[i] += db[i];
  }
  std::ranges::copy(sum_dw, call.dw);
  std::ranges::copy(sum_db, call.db);
}

}  // namespace

template <typename Real>
void run(const LayerNormForward<Real>& call) {
  with_widest_vectors([&]() RINGSIDE_INLINE_LAMBDA { forward(call); });
}

template <typename Real>
void run(const LayerNormBackward<Real>& call) {
  with_widest_vectors([&]() RINGSIDE_INLINE_LAMBDA {
    if (sums_in_double(call.rows.count, call.rows.width))
      backward<double>(call);
    else
      backward<Real>(call);
  });
}

template void run(const LayerNormForward<float>& call);
template void run(const LayerNormForward<double>& call);
template void run(const LayerNormBackward<float>& call);
template void run(const LayerNormBackward<double>& call);

}  // namespace ringside::norms
