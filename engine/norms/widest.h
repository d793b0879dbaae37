// A loop is compiled for each kind of vectors, and run with the widest that this CPU has. Bits do not depend
// on it: sums have a fixed number of lanes (lanes.h), and no product is contracted with a sum
// (CMakeLists.txt).
#pragma once

#define RINGSIDE_INLINE __attribute__((always_inline)) inline
#define RINGSIDE_INLINE_LAMBDA __attribute__((always_inline))

namespace ringside::norms {

#if defined(__x86_64__)
template <typename Body>
__attribute__((target("avx512f,avx512dq,avx512vl,prefer-vector-width=512"))) void run_avx512(Body body) {
  body();
}
template <typename Body>
__attribute__((target("avx2"))) void run_avx2(Body body) {
  body();
}
#endif

// body: a lambda, RINGSIDE_INLINE_LAMBDA, of functions that are RINGSIDE_INLINE.
template <typename Body>
void with_widest_vectors(Body body) {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl")) return run_avx512(body);
  if (__builtin_cpu_supports("avx2")) return run_avx2(body);
#endif
  body();
}

}  // namespace ringside::norms
