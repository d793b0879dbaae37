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
// A state that is not kept is 0 before each element, and what the rule makes of it is dropped.
#pragma once

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

#include "ringside/base/bfloat16.h"
#include "ringside/optim/declaration.h"
#include "ringside/optim/vectors.h"

// A function that is compiled for AVX2, whatever the rest of the program is compiled for.
#ifdef __x86_64__
#define RINGSIDE_AVX2 [[gnu::target("avx2")]]
#else
#define RINGSIDE_AVX2
#endif

namespace ringside::optimizers {

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

template <size_t kStates, typename MakeRule>
class Elementwise {
 public:
  static constexpr bool kRounds = true;

  template <typename Real>
  void operator()(const ElementsOf<Real>& e, const Values& values, const UpdateOptions& options) const {
    const auto rule = MakeRule{}.template operator()<Real>(values, options);
    const auto scale = static_cast<Real>(options.gradient_scale);
    with_gradient(e, [&](auto gradient) {
      if (vectors_in_use() == Vectors::kAvx2)
        with_avx2(e, rule, gradient, scale);
      else
        with_base(e, rule, gradient, scale);
    });
  }

 private:
  static constexpr int64_t kBlock = 1024;  // elements: what is made of them stays in the first-level cache

  template <typename Real>
  using Block = std::array<Real, kBlock>;
  using States = std::make_index_sequence<kStates>;

  // The same loops, compiled for either kind of vectors.
  template <typename Real>
  RINGSIDE_AVX2 static void with_avx2(const ElementsOf<Real>& e, const auto& rule, auto gradient,
                                      Real scale) {
    update(e, rule, gradient, scale, States());
  }
  template <typename Real>
  static void with_base(const ElementsOf<Real>& e, const auto& rule, auto gradient, Real scale) {
    update(e, rule, gradient, scale, States());
  }

  template <typename Real, size_t... kIs>
  [[gnu::always_inline]] static inline void update(const ElementsOf<Real>& e, const auto& rule, auto element,
                                                   Real scale, std::index_sequence<kIs...>) {
    alignas(64) Block<Real> gradient;
    alignas(64) std::array<Block<Real>, kStates> none;  // of state that is not kept
    for (int64_t begin = 0; begin < e.count; begin += kBlock) {
      const int64_t count = std::min(kBlock, e.count - begin);
      for (int64_t i = 0; i < count; ++i) gradient[i] = element(begin + i) * scale;
      for (size_t s = 0; s < kStates; ++s)
        if (e.state[s] == nullptr) none[s].fill(0);
      run<Real>(rule, count, gradient.data(), e.weights + begin,
                (e.state[kIs] == nullptr ? none[kIs].data() : e.state[kIs] + begin)...);
      if (e.rounded != nullptr) round(count, e.weights + begin, e.rounded + begin);
    }
  }

  template <typename Real, typename... State>
  [[gnu::always_inline]] static inline void run(const auto& rule, int64_t count, const Real* __restrict g,
                                                Real* __restrict w, State* __restrict... state) {
    for (int64_t i = 0; i < count; ++i) {
      rule(g[i], w[i], state[i]...);
      w[i] = one_nan(w[i]);
      ((state[i] = one_nan(state[i])), ...);
    }
  }

  // Any NaN becomes the quiet one, as float_to_bf16 has it. Which of two NaNs comes out of a sum depends on
  // the instruction, and so on the vectors.
  template <typename Real>
  [[gnu::always_inline]] static inline Real one_nan(Real value) {
    return value == value ? value : std::numeric_limits<Real>::quiet_NaN();
  }

  template <typename Real>
  [[gnu::always_inline]] static inline void round(int64_t count, const Real* __restrict w,
                                                  uint16_t* __restrict rounded) {
    for (int64_t i = 0; i < count; ++i) rounded[i] = float_to_bf16(static_cast<float>(w[i]));
  }
};

}  // namespace ringside::optimizers
