// An update of each element alone, in one pass over memory: gradient, weights and state are read once,
// weights, state and the bf16 copy of the weights are written once.
//
// A rule is made of the hyperparameters and the step, for float or double, and says what happens to one
// element. All the rest is here:
//
//   constexpr auto kRule = []<typename Real>(const Values& value, const UpdateOptions& options) {
//     const auto rate = static_cast<Real>(options.learning_rate);
//     return [=](Real g, Real& w, Real& u) { ... };  // gradient, weight, each declared state
//   };
//   .update = Elementwise<1, decltype(kRule)>()
//
// Elementwise<3, decltype(kRule), 2> says that the last two of three states may not be kept. One that is not
// is 0 before each element, and what the rule makes of it is dropped.
#pragma once

#include <algorithm>
#include <array>
#include <functional>
#include <numeric>
#include <utility>

#include "ringside/base/bfloat16.h"
#include "ringside/base/check.h"
#include "ringside/base/vectors.h"
#include "ringside/optim/declaration.h"

namespace ringside::optimizers {

// Elements of a parameter of this shape.
inline int64_t numel(std::span<const int64_t> shape) {
  return std::accumulate(shape.begin(), shape.end(), int64_t{1}, std::multiplies<>());
}

// An update's loop is compiled once for fp32 gradients and once for bf16: calls body(gradient), where
// gradient(i) is the i-th element.
template <typename Real>
void with_gradient(const ElementsOf<Real>& elements, auto&& body) {
  const void* data = elements.gradient;
  if (elements.gradient_dtype == Dtype::kBFloat16)
    body([of = static_cast<const uint16_t*>(data)](int64_t i) { return Real{bf16_to_float(of[i])}; });
  else
    body([of = static_cast<const Real*>(data)](int64_t i) { return of[i]; });
}

// Of the states the last kOptional may not be kept.
template <size_t kStates, typename MakeRule, size_t kOptional = 0>
class Elementwise {
 public:
  static constexpr bool kRounds = true;

  template <typename Real>
  void operator()(const ElementsOf<Real>& e, const Values& values, const UpdateOptions& options) const {
    if (e.count == 0) return;
    const auto rule = MakeRule{}.template operator()<Real>(values, options);
    const auto scale = static_cast<Real>(options.gradient_scale);
    with_gradient(e, [&](auto gradient) { with_states(e, rule, gradient, scale); });
  }

 private:
  static constexpr int64_t kBlock = 1024;  // elements: what is made of them stays in the first-level cache

  template <typename Real>
  struct Kept {
    Real* values;
    Real load(int64_t i) const { return values[i]; }
    void store(int64_t i, Real value) const { values[i] = one_nan(value); }
    Kept from(int64_t begin) const { return {values + begin}; }
  };
  template <typename Real>
  struct NotKept {
    Real load(int64_t) const { return 0; }
    void store(int64_t, Real) const {}
    NotKept from(int64_t) const { return {}; }
  };

  // The loops are compiled once for each combination of states that can be kept.
  template <typename Real, typename... State>
  static void with_states(const ElementsOf<Real>& e, const auto& rule, auto gradient, Real scale,
                          State... found) {
    constexpr size_t next = sizeof...(State);
    if constexpr (next == kStates) {
      with_vectors_in_use([&]<int>() RINGSIDE_INLINE_LAMBDA { update(e, rule, gradient, scale, found...); });
    } else if (e.state[next] != nullptr) {
      with_states(e, rule, gradient, scale, found..., Kept<Real>{e.state[next]});
    } else {
      if constexpr (next + kOptional >= kStates)
        with_states(e, rule, gradient, scale, found..., NotKept<Real>{});
      else
        RINGSIDE_CHECK(false, "state " << next << " is not kept, and it is none of the last " << kOptional);
    }
  }

  template <typename Real, typename... State>
  RINGSIDE_INLINE static void update(const ElementsOf<Real>& e, const auto& rule, auto element, Real scale,
                                     State... state) {
    alignas(64) std::array<Real, kBlock> gradient;
    for (int64_t begin = 0; begin < e.count; begin += kBlock) {
      const int64_t count = std::min(kBlock, e.count - begin);
      for (int64_t i = 0; i < count; ++i) gradient[i] = element(begin + i) * scale;
      run(std::index_sequence_for<State...>(), rule, count, gradient.data(), e.weights + begin,
          state.from(begin)...);
      if (e.rounded != nullptr) round(count, e.weights + begin, e.rounded + begin);
    }
  }

  template <typename Real, typename... State, size_t... kIs>
  RINGSIDE_INLINE static void run(std::index_sequence<kIs...>, const auto& rule, int64_t count,
                                  const Real* __restrict gradient, Real* __restrict weights, State... state) {
    for (int64_t i = 0; i < count; ++i) {
      Real weight = weights[i];
      std::array<Real, kStates> own = {state.load(i)...};
      rule(gradient[i], weight, own[kIs]...);
      weights[i] = one_nan(weight);
      (state.store(i, own[kIs]), ...);
    }
  }

  template <typename Real>
  RINGSIDE_INLINE static void round(int64_t count, const Real* __restrict w, uint16_t* __restrict rounded) {
    for (int64_t i = 0; i < count; ++i) rounded[i] = float_to_bf16(float(w[i]));
  }
};

}  // namespace ringside::optimizers
