#include "ringside/norms/rms_norm.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "lanes.h"

namespace ringside::norms {
namespace {

template <typename Real>
RINGSIDE_INLINE double forward_row(const Real* __restrict x, const double* __restrict w, Real* __restrict y,
                                   int64_t H, double eps) {
  Lanes<double> squares;
  over_lanes(H, [&](int64_t i, int lane)
                    RINGSIDE_INLINE_LAMBDA { squares.part[lane] += static_cast<double>(x[i]) * x[i]; });
  const double s = 1 / std::sqrt(squares.total() / static_cast<double>(H) + eps);
  for (int64_t i = 0; i < H; ++i) y[i] = static_cast<Real>(x[i] * s * w[i]);
  return s;
}

template <typename Real>
RINGSIDE_INLINE void forward(const RmsNormForward<Real>& call) {
  const int64_t H = call.rows.width;
  const std::vector<double> w(call.weight, call.weight + H);
  for (int64_t row = 0; row < call.rows.count; ++row)
    call.scale[row] = forward_row(call.x + row * H, w.data(), call.y + row * H, H, call.eps);
}

// Sum: the type of mean(g u).
template <typename Sum, typename Real>
RINGSIDE_INLINE void backward_row(const Real* __restrict x, const Real* __restrict weight,
                                  const double* __restrict w, const Real* __restrict dy, Real* __restrict dx,
                                  int64_t H, double s) {
  Lanes<Sum> sum;  // of g x
  over_lanes(H, [&](int64_t i, int lane)
                    RINGSIDE_INLINE_LAMBDA { sum.part[lane] += static_cast<Sum>(weight[i]) * dy[i] * x[i]; });
  const double b = sum.total() / static_cast<double>(H) * s * s * s;  // dx = g s - x b
  for (int64_t i = 0; i < H; ++i) dx[i] = static_cast<Real>(w[i] * dy[i] * s - x[i] * b);
}

// dw += dy u, of kRows rows
template <int64_t kRows, typename Sum, typename Real>
RINGSIDE_INLINE void add_rows(const Real* __restrict x, const Real* __restrict dy, const double* s, int64_t H,
                              double* __restrict dw) {
  for (int64_t i = 0; i < H; ++i) {
    Sum sum = 0;
    for (int64_t r = 0; r < kRows; ++r)
      sum += static_cast<Sum>(dy[r * H + i]) * (static_cast<Sum>(x[r * H + i]) * static_cast<Sum>(s[r]));
    dw[i] += sum;
  }
}

template <typename Sum, typename Real>
RINGSIDE_INLINE void backward(const RmsNormBackward<Real>& call) {
  const int64_t H = call.rows.width, M = call.rows.count;
  const std::vector<double> w(call.weight, call.weight + H);
  std::vector<double> dw(w.size());  // of a chunk
  const auto take = [&]<int64_t kRows>(int64_t first) RINGSIDE_INLINE_LAMBDA {
    const Real *x = call.x + first * H, *dy = call.dy + first * H;
    for (int64_t r = 0; r < kRows; ++r)
      backward_row<Sum>(x + r * H, call.weight, w.data(), dy + r * H, call.dx + (first + r) * H, H,
                        call.scale[first + r]);
    add_rows<kRows, Sum>(x, dy, call.scale + first, H, dw.data());
  };
  std::vector<double> sum_dw(w.size());
  for (int64_t begin = 0; begin < M; begin += kRowsOfChunk) {
    std::ranges::fill(dw, 0);
    over_rows(begin, std::min(begin + kRowsOfChunk, M), take);
    for (size_t i = 0; i < w.size(); ++i) sum_dw[i] += dw[i];
  }
  std::ranges::copy(sum_dw, call.dw);
}

}  // namespace

template <typename Real>
void run(const RmsNormForward<Real>& call) {
  with_widest_vectors([&]() RINGSIDE_INLINE_LAMBDA { forward(call); });
}

template <typename Real>
void run(const RmsNormBackward<Real>& call) {
  with_widest_vectors([&]() RINGSIDE_INLINE_LAMBDA {
    if (sums_in_double(call.rows.count, call.rows.width))
      backward<double>(call);
    else
      backward<Real>(call);
  });
}

template void run(const RmsNormForward<float>& call);
template void run(const RmsNormForward<double>& call);
template void run(const RmsNormBackward<float>& call);
template void run(const RmsNormBackward<double>& call);

}  // namespace ringside::norms
