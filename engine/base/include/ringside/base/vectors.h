// Which vector instructions the optimizers' updates, the norms and the fused layers are done with. All of
// them do the same IEEE operations on each element, in the same order, so the choice changes no bit, and one
// program runs on every processor of its kind. No product is contracted with a sum; where a rule asks for one
// rounding of both, it has one everywhere.
#pragma once

#include <cstdint>
#include <utility>

// A function that is compiled for AVX2, or for AVX-512, whatever the rest of the program is compiled for.
#ifdef __x86_64__
#define RINGSIDE_AVX2 [[gnu::target("avx2,fma")]]
#else
#define RINGSIDE_AVX2
#endif
#if defined(__x86_64__) && !defined(__clang__) && !defined(RINGSIDE_WITHOUT_AVX512)
#define RINGSIDE_HAS_AVX512 1
#define RINGSIDE_AVX512 [[gnu::target("avx512f,avx512bw,avx512dq,avx512vl,prefer-vector-width=512")]]
#else
#define RINGSIDE_HAS_AVX512 0
#define RINGSIDE_AVX512
#endif
// A function without these is none of the caller's, and does not have its vectors.
#define RINGSIDE_INLINE __attribute__((always_inline)) inline
#define RINGSIDE_INLINE_LAMBDA __attribute__((always_inline))

namespace ringside::inline base {

enum class Vectors : uint8_t {
  kBase,   // those that every processor of the kind has: on x86-64 SSE2, 4 floats
  kAvx2,   // with FMA; x86-64 only, 8 floats
  kAvx512  // the same and g++ only, 16 floats: for what fits into the caches; memory is no faster for it.
           // A build leaves it out where CMake's RINGSIDE_AVX512 says so.
};
inline constexpr Vectors kAllVectors[] = {Vectors::kBase, Vectors::kAvx2, Vectors::kAvx512};

bool can_use(Vectors vectors);           // this processor has them, and this program was built with them
Vectors vectors_in_use();                // at the start the widest that can be used
void use_vectors(Vectors vectors);       // in the whole process; UsageError where they cannot be used
const char* to_string(Vectors vectors);  // "SSE2", "AVX2", "base" on another architecture

// Calls f<0>() to f<kTimes - 1>(). What f indexes with its number is in registers; what a loop's counter
// indexes may stay in memory, also where the loop is unrolled (g++ 12).
template <int64_t kTimes, typename F>
RINGSIDE_INLINE void unrolled(F f) {
  [&]<int64_t... i>(std::integer_sequence<int64_t, i...>) RINGSIDE_INLINE_LAMBDA {
    (f.template operator()<i>(), ...);
  }
  (std::make_integer_sequence<int64_t, kTimes>());
}

template <typename Body>
RINGSIDE_AVX512 void run_avx512(Body body) {
  body.template operator()<64>();
}
template <typename Body>
RINGSIDE_AVX2 void run_avx2(Body body) {
  body.template operator()<32>();
}

// Compiles the body for each kind of vectors, and runs it with those in use: a lambda
// [&]<int kBytes>() RINGSIDE_INLINE_LAMBDA, with kBytes of a vector, of functions that are RINGSIDE_INLINE.
template <typename Body>
void with_vectors_in_use(Body body) {
  const Vectors vectors = vectors_in_use();
#if RINGSIDE_HAS_AVX512
  if (vectors == Vectors::kAvx512) return run_avx512(body);
#endif
  if (vectors == Vectors::kAvx2) return run_avx2(body);
  body.template operator()<16>();
}

}  // namespace ringside::inline base
