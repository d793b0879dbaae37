#include "ringside/fused/softmax.h"

#include <limits>

#include "numbers.h"

namespace ringside::fused {
namespace {

constexpr auto add = [](auto a, auto b) { return a + b; };
constexpr auto greater = [](auto a, auto b) { return a > b ? a : b; };

template <int kBytes, typename Real>
RINGSIDE_INLINE void forward_row(int64_t count, Real scale, const float* mask, const Real* s, Real* p) {
  constexpr float kHidden = -std::numeric_limits<float>::infinity();
  Lanes<kBytes, Real> most(kHidden), sums(0);
  over_numbers<kBytes, Real>(count, [&](int64_t i, auto n, auto v) RINGSIDE_INLINE_LAMBDA {
    Numbers<kBytes, Real> z{}, hides;
    load(s + i, n, z);
    load_floats<kBytes, Real>(mask + i, n, kHidden, hides);
    z = z * scale + hides;
    most.part[v] = z > most.part[v] ? z : most.part[v];
    store(z, n, p + i);
  });
  const Real m = most.joined(greater);
  over_numbers<kBytes, Real>(count, [&](int64_t i, auto n, auto v) RINGSIDE_INLINE_LAMBDA {
    Numbers<kBytes, Real> z = Numbers<kBytes, Real>{} + Real{kHidden};
    load(p + i, n, z);
    z -= m;
    exponential<kBytes, Real>(z);
    sums.part[v] += z;
    store(z, n, p + i);
  });
  const Real share = 1 / sums.joined(add);
  for (int64_t i = 0; i < count; ++i) p[i] *= share;
}

template <int kBytes, typename Real>
RINGSIDE_INLINE void backward_row(int64_t count, Real scale, const Real* p, const Real* dp, Real* ds) {
  Lanes<kBytes, Real> sums(0);
  over_numbers<kBytes, Real>(count, [&](int64_t i, auto n, auto v) RINGSIDE_INLINE_LAMBDA {
    Numbers<kBytes, Real> its_p{}, its_dp{};
    load(p + i, n, its_p);
    load(dp + i, n, its_dp);
    sums.part[v] += its_p * its_dp;
  });
  const Real sum = sums.joined(add);
  for (int64_t i = 0; i < count; ++i) ds[i] = scale * p[i] * (dp[i] - sum);
}

}  // namespace

template <typename Real>
void run(const SoftmaxForward<Real>& call) {
  const auto [B, A, T, scale] = call.of;
  with_vectors_in_use([&, B = B, A = A, T = T, scale = scale]<int kBytes>() RINGSIDE_INLINE_LAMBDA {
    for (int64_t row = 0; row < B * A * T; ++row) {
      const float* const mask =
          call.mask.values + row / (A * T) * call.mask.to_next_sample + row % T * call.mask.to_next_row;
      forward_row<kBytes, Real>(T, static_cast<Real>(scale), mask, call.s + row * T, call.p + row * T);
    }
  });
}

template <typename Real>
void run(const SoftmaxBackward<Real>& call) {
  const auto [B, A, T, scale] = call.of;
  with_vectors_in_use([&, B = B, A = A, T = T, scale = scale]<int kBytes>() RINGSIDE_INLINE_LAMBDA {
    for (int64_t row = 0; row < B * A * T; ++row)
      backward_row<kBytes, Real>(T, static_cast<Real>(scale), call.p + row * T, call.dp + row * T,
                                 call.ds + row * T);
  });
}

template void run(const SoftmaxForward<float>& call);
template void run(const SoftmaxForward<double>& call);
template void run(const SoftmaxBackward<float>& call);
template void run(const SoftmaxBackward<double>& call);

}  // namespace ringside::fused
