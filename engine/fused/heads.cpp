#include "ringside/fused/heads.h"

#include "numbers.h"

namespace ringside::fused {
namespace {

// One head of one token. kBack: by the opposite angle.
template <int kBytes, bool kBack, typename Real>
RINGSIDE_INLINE void turn_head(int64_t half, const float* cosines, const float* sines, const Real* from,
                               Real* to) {
  over_numbers<kBytes, Real>(half, [&](int64_t i, auto n, auto) RINGSIDE_INLINE_LAMBDA {
    Numbers<kBytes, Real> a{}, b{}, cos, sin;
    load(from + i, n, a);
    load(from + half + i, n, b);
    load_floats<kBytes, Real>(cosines + i, n, 1, cos);
    load_floats<kBytes, Real>(sines + i, n, 0, sin);
    if constexpr (kBack) sin = -sin;
    store(a * cos - b * sin, n, to + i);
    store(b * cos + a * sin, n, to + half + i);
  });
}

// Calls f(token, where the head stands in (B, T, A D) or (R, A D), where in (B, A, T, D)); first of the two
// is kPadding where it is left out.
constexpr int64_t kPadding = -1;
template <typename F>
RINGSIDE_INLINE void over_heads(const Heads& of, F f) {
  const auto [B, T, A, D, rows, R] = of;
  int64_t r = 0;
  for (int64_t b = 0; b < B; ++b)
    for (int64_t t = 0; t < T; ++t) {
      const bool is_there = rows == nullptr || (r < R && rows[r] == b * T + t);
      for (int64_t a = 0; a < A; ++a) f(t, is_there ? (r * A + a) * D : kPadding, ((b * A + a) * T + t) * D);
      r += is_there ? 1 : 0;
    }
}

template <int kBytes, bool kBack, typename Real>
RINGSIDE_INLINE void move_head(const Turn& turn, int64_t D, int64_t t, const Real* from, Real* to) {
  if (turn.cos == nullptr)
    std::memcpy(to, from, size_t(D) * sizeof(Real));
  else
    turn_head<kBytes, kBack>(D / 2, turn.cos + t * D, turn.sin + t * D, from, to);
}

}  // namespace

template <typename Real>
void run(const HeadsApart<Real>& call) {
  with_vectors_in_use([&]<int kBytes>() RINGSIDE_INLINE_LAMBDA {
    over_heads(call.of, [&](int64_t t, int64_t together, int64_t apart) RINGSIDE_INLINE_LAMBDA {
      if (together == kPadding)
        std::fill_n(call.y + apart, call.of.size, Real{0});
      else
        move_head<kBytes, false>(call.turn, call.of.size, t, call.x + together, call.y + apart);
    });
  });
}

template <typename Real>
void run(const HeadsTogether<Real>& call) {
  with_vectors_in_use([&]<int kBytes>() RINGSIDE_INLINE_LAMBDA {
    over_heads(call.of, [&](int64_t t, int64_t together, int64_t apart) RINGSIDE_INLINE_LAMBDA {
      if (together != kPadding)
        move_head<kBytes, true>(call.turn, call.of.size, t, call.y + apart, call.x + together);
    });
  });
}

template void run(const HeadsApart<float>& call);
template void run(const HeadsApart<double>& call);
template void run(const HeadsTogether<float>& call);
template void run(const HeadsTogether<double>& call);

}  // namespace ringside::fused
