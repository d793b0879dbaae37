#include "ringside/norms/set_norm.h"

#include <algorithm>

#include "ringside/base/vectors.h"

namespace ringside::norms {
namespace {

// Calls row(r) for each real row, padding(r) for the others, with the vectors that are in use.
template <typename OfReal, typename OfPadding>
void over_rows(const Block& block, OfReal row, OfPadding padding) {
  with_vectors_in_use([&]<int>() RINGSIDE_INLINE_LAMBDA {
    for (int64_t r = 0; r < block.rows; ++r) {
      if (block.real == nullptr || block.real[r])
        row(r);
      else
        padding(r);
    }
  });
}
template <typename OfReal>
void over_real_rows(const Block& block, OfReal row) {
  over_rows(block, row, [](int64_t) RINGSIDE_INLINE_LAMBDA {});
}

template <typename Real>
RINGSIDE_INLINE void add(const Real* __restrict x, int64_t H, double* __restrict sums) {
  for (int64_t i = 0; i < H; ++i) sums[i] += x[i];
}

template <typename Real>
RINGSIDE_INLINE void add_squares(const Real* __restrict x, int64_t H, const double* __restrict mean,
                                 double* __restrict sums) {
  for (int64_t i = 0; i < H; ++i) sums[i] += (x[i] - mean[i]) * (x[i] - mean[i]);
}

template <typename Real>
RINGSIDE_INLINE void normalise_row(const Real* __restrict x, const Real* __restrict w,
                                   const Real* __restrict b, SetStatistics of, int64_t H,
                                   Real* __restrict y) {
  const double* __restrict mean = of.mean, * __restrict scale = of.scale;
  for (int64_t i = 0; i < H; ++i) y[i] = static_cast<Real>((x[i] - mean[i]) * scale[i] * w[i] + b[i]);
}

template <typename Real>
RINGSIDE_INLINE void add_gradients(const Real* __restrict x, const Real* __restrict dy, SetStatistics of,
                                   int64_t H, double* __restrict sum_dy, double* __restrict sum_dy_u) {
  const double* __restrict mean = of.mean, * __restrict scale = of.scale;
  for (int64_t i = 0; i < H; ++i) {
    sum_dy[i] += dy[i];
    sum_dy_u[i] += dy[i] * ((x[i] - mean[i]) * scale[i]);
  }
}

template <typename Real>
RINGSIDE_INLINE void backward_row(const Real* __restrict x, const Real* __restrict w,
                                  const Real* __restrict dy, SetStatistics of,
                                  const double* __restrict mean_g, const double* __restrict mean_gu,
                                  int64_t H, Real* __restrict dx) {
  const double* __restrict mean = of.mean, * __restrict scale = of.scale;
  for (int64_t i = 0; i < H; ++i) {
    const double g = double(w[i]) * dy[i], u = (x[i] - mean[i]) * scale[i];
    dx[i] = static_cast<Real>((g - mean_g[i] - u * mean_gu[i]) * scale[i]);
  }
}

}  // namespace

int64_t Block::count() const { return real == nullptr ? rows : std::count(real, real + rows, true); }

template <typename Real>
Sums sum_of(const Block& block, const Real* x) {
  const int64_t H = block.width;
  Sums sums(static_cast<size_t>(H));
  over_real_rows(block, [&](int64_t r) RINGSIDE_INLINE_LAMBDA { add(x + r * H, H, sums.data()); });
  return sums;
}

template <typename Real>
Sums squares_of(const Block& block, const Real* x, const double* mean) {
  const int64_t H = block.width;
  Sums sums(static_cast<size_t>(H));
  over_real_rows(block,
                 [&](int64_t r) RINGSIDE_INLINE_LAMBDA { add_squares(x + r * H, H, mean, sums.data()); });
  return sums;
}

Sums folded(Sums sums, int64_t fold) {
  if (fold == 1) return sums;
  const auto step = size_t(fold);
  for (size_t first = 0; first < sums.size(); first += step) {
    double sum = 0;
    for (size_t i = first; i < first + step; ++i) sum += sums[i];
    std::fill_n(sums.begin() + int64_t(first), fold, sum);
  }
  return sums;
}

template <typename Real>
void normalise(const Block& block, SetStatistics of, const Real* weight, const Real* bias, const Real* x,
               Real* y) {
  const int64_t H = block.width;
  over_rows(
      block,
      [&](int64_t r) RINGSIDE_INLINE_LAMBDA { normalise_row(x + r * H, weight, bias, of, H, y + r * H); },
      [&](int64_t r) RINGSIDE_INLINE_LAMBDA { std::fill_n(y + r * H, H, Real{0}); });
}

template <typename Real>
GradientSums gradient_sums(const Block& block, SetStatistics of, const Real* x, const Real* dy) {
  const int64_t H = block.width;
  GradientSums sums{Sums(size_t(H)), Sums(size_t(H))};
  over_real_rows(block, [&](int64_t r) RINGSIDE_INLINE_LAMBDA {
    add_gradients(x + r * H, dy + r * H, of, H, sums.dy.data(), sums.dy_u.data());
  });
  return sums;
}

template <typename Real>
void normalise_backward(const Block& block, SetStatistics of, const Real* weight, const Sums& mean_g,
                        const Sums& mean_gu, const Real* x, const Real* dy, Real* dx) {
  const int64_t H = block.width;
  over_rows(
      block,
      [&](int64_t r) RINGSIDE_INLINE_LAMBDA {
        backward_row(x + r * H, weight, dy + r * H, of, mean_g.data(), mean_gu.data(), H, dx + r * H);
      },
      [&](int64_t r) RINGSIDE_INLINE_LAMBDA { std::fill_n(dx + r * H, H, Real{0}); });
}

#define RINGSIDE_SET_NORM(Real)                                                                        \
  template Sums sum_of(const Block&, const Real*);                                                     \
  template Sums squares_of(const Block&, const Real*, const double*);                                  \
  template void normalise(const Block&, SetStatistics, const Real*, const Real*, const Real*, Real*);  \
  template GradientSums gradient_sums(const Block&, SetStatistics, const Real*, const Real*);          \
  template void normalise_backward(const Block&, SetStatistics, const Real*, const Sums&, const Sums&, \
                                   const Real*, const Real*, Real*);
RINGSIDE_SET_NORM(float)
RINGSIDE_SET_NORM(double)
#undef RINGSIDE_SET_NORM

}  // namespace ringside::norms
