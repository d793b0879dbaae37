// Numbers side by side, which the language's operators take one by one, and with a scalar beside them. They
// are as many as a register of the vectors in use holds (base/vectors.h), or one at the end of a row.
#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "ringside/base/vectors.h"

namespace ringside::norms {

// Calls body(). With kApart and wide vectors it is a function of its own: the compiler compiles it once, and
// not in each loop that calls it.
template <typename Body>
[[gnu::noinline]] RINGSIDE_AVX512 void apart_avx512(const Body& body) {
  body();
}
template <typename Body>
[[gnu::noinline]] RINGSIDE_AVX2 void apart_avx2(const Body& body) {
  body();
}
template <int kBytes, bool kApart = true, typename Body>
RINGSIDE_INLINE void apart(const Body& body) {
  if constexpr (kApart && kBytes == 64)
    apart_avx512(body);
  else if constexpr (kApart && kBytes == 32)
    apart_avx2(body);
  else
    body();
}

template <typename Real, int kCount>
struct VectorOf {
  typedef Real Type __attribute__((vector_size(kCount * sizeof(Real))));
};
template <typename Real>
struct VectorOf<Real, 1> {
  using Type = Real;
};
template <typename Real, int kCount>
using Vector = typename VectorOf<Real, kCount>::Type;

// How a vector is passed by value depends on the CPU, so it is passed by reference. Memory need not be
// aligned; what is loaded or stored is converted.
template <int kCount, typename From, typename To>
RINGSIDE_INLINE void load(const From* from, To& to) {
  Vector<From, kCount> values;
  std::memcpy(&values, from, sizeof values);
  if constexpr (kCount == 1) to = static_cast<To>(values);
#if defined(__x86_64__) && !defined(__clang__)
  else if constexpr (kCount >= 4 && std::is_same_v<To, Vector<double, kCount>> && std::is_same_v<From, float>)
    asm inline("vcvtps2pd %1, %0"
               : "=v"(to)
               : "vm"(values));  // g++ 12 makes two of it, and puts them together
#endif
  else
    to = __builtin_convertvector(values, To);
}
template <int kCount, typename From, typename To>
RINGSIDE_INLINE void store(const From& from, To* to) {
  Vector<To, kCount> values;
  if constexpr (kCount == 1)
    values = static_cast<To>(from);
  else
    values = __builtin_convertvector(from, Vector<To, kCount>);
  std::memcpy(to, &values, sizeof values);
}

// The same to a place that is not read soon, past the caches where the CPU can: `to` is at a multiple of a
// vector's bytes. Other threads see it after an sfence.
template <int kCount, typename From, typename To>
RINGSIDE_INLINE void store_past_caches(const From& from, To* to) {
#if defined(__x86_64__) && !defined(__clang__)
  if constexpr (kCount >= 4) {
    const Vector<To, kCount> values = __builtin_convertvector(from, Vector<To, kCount>);
    asm inline("vmovntps %1, %0" : "=m"(*reinterpret_cast<Vector<To, kCount>*>(to)) : "v"(values));
    return;
  }
#endif
  store<kCount>(from, to);
}

// sum + a b, rounded once. A CPU that has no instruction for it has the C library's function.
#if defined(__x86_64__) && !defined(__clang__)
#define RINGSIDE_FUSED(instruction)                                          \
  if constexpr (sizeof sum > 16) {                                           \
    if constexpr (std::is_same_v<V, Vector<double, kCount>>)                 \
      asm inline(instruction "pd %2, %1, %0" : "+v"(sum) : "v"(a), "vm"(b)); \
    else                                                                     \
      asm inline(instruction "ps %2, %1, %0" : "+v"(sum) : "v"(a), "vm"(b)); \
    return;                                                                  \
  }
#else
#define RINGSIDE_FUSED(instruction)
#endif
template <int kCount, typename V>
RINGSIDE_INLINE void add_product(V& sum, const V& a, const V& b) {
  RINGSIDE_FUSED("vfmadd231")
  if constexpr (kCount == 1)
    sum = std::fma(a, b, sum);
  else
    for (int i = 0; i < kCount; ++i) sum[i] = std::fma(a[i], b[i], sum[i]);
}
#undef RINGSIDE_FUSED

template <typename V, typename Half>
RINGSIDE_INLINE void halves(const V& of, Half& low, Half& high) {
  std::memcpy(&low, &of, sizeof low);
  std::memcpy(&high, reinterpret_cast<const char*>(&of) + sizeof low, sizeof high);
}

// ((v0 + v4) + (v2 + v6)) + ((v1 + v5) + (v3 + v7)), and so for every count
template <int kCount, typename Real, typename Values>
RINGSIDE_INLINE Real sum_of(const Values& values) {
  if constexpr (kCount == 1) {
    return values;
  } else if constexpr (kCount == 2) {
    return values[0] + values[1];
  } else {
    Vector<Real, kCount / 2> low, high;
    halves(values, low, high);
    low += high;
    return sum_of<kCount / 2, Real>(low);
  }
}

// SSE2 has no instruction for a fused product, and each is a call.
template <int kBytes>
inline constexpr bool kCallsForProducts = false;
#ifdef __x86_64__
template <>
inline constexpr bool kCallsForProducts<16> = true;
#endif

// Calls f(0) to f(kTimes - 1), where vectors are of kBytes: as unrolled(), but as a loop where products are
// calls. No difference in speed was measured there, and a file compiles in half the time.
template <int kBytes, int64_t kTimes, typename F>
RINGSIDE_INLINE void for_each_of(F f) {
  if constexpr (kCallsForProducts<kBytes>)
    for (int64_t i = 0; i < kTimes; ++i) f(i);
  else
    unrolled<kTimes>([&]<int64_t i>() RINGSIDE_INLINE_LAMBDA { f(std::integral_constant<int64_t, i>()); });
}

inline constexpr int64_t kLine = 16;  // floats of a cache line

// Calls ahead(i) and, with as many numbers as a vector of kBytes has, f<kWidest>(i), f<kWidest>(i + kWidest),
// ... for every kLine numbers of [0, count), and f<1>(i) for the rest.
template <int kBytes, typename Number, typename Ahead, typename F>
RINGSIDE_INLINE void over_vectors(int64_t count, Ahead ahead, F f) {
  constexpr int kWidest = kBytes / int(sizeof(Number));
  int64_t i = 0;
  for (; i + kLine <= count; i += kLine) {
    ahead(i);
    for_each_of<kBytes, kLine / kWidest>(
        [&](auto k) RINGSIDE_INLINE_LAMBDA { f.template operator()<kWidest>(i + k * kWidest); });
  }
  for (; i < count; ++i) f.template operator()<1>(i);
}

}  // namespace ringside::norms
