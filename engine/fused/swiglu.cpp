#include "ringside/fused/swiglu.h"

#include "numbers.h"

namespace ringside::fused {

template <typename Real>
void run(const SwigluForward<Real>& call) {
  with_vectors_in_use([&]<int kBytes>() RINGSIDE_INLINE_LAMBDA {
    over_numbers<kBytes, Real>(call.count, [&](int64_t i, auto n, auto) RINGSIDE_INLINE_LAMBDA {
      Numbers<kBytes, Real> g{}, u{}, s;
      load(call.g + i, n, g);
      load(call.u + i, n, u);
      sigmoid<kBytes, Real>(g, s);
      store(g * s * u, n, call.y + i);
    });
  });
}

template <typename Real>
void run(const SwigluBackward<Real>& call) {
  with_vectors_in_use([&]<int kBytes>() RINGSIDE_INLINE_LAMBDA {
    over_numbers<kBytes, Real>(call.count, [&](int64_t i, auto n, auto) RINGSIDE_INLINE_LAMBDA {
      Numbers<kBytes, Real> g{}, u{}, dy{}, s;
      load(call.g + i, n, g);
      load(call.u + i, n, u);
      load(call.dy + i, n, dy);
      sigmoid<kBytes, Real>(g, s);
      const Numbers<kBytes, Real> ds = dy * s;
      store(ds * u * (Real{1} + g * (Real{1} - s)), n, call.dg + i);
      store(ds * g, n, call.du + i);
    });
  });
}

template void run(const SwigluForward<float>& call);
template void run(const SwigluForward<double>& call);
template void run(const SwigluBackward<float>& call);
template void run(const SwigluBackward<double>& call);

}  // namespace ringside::fused
