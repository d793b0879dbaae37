// A loop is compiled for each kind of vectors (base/vectors.h), and run with those in use. Bits do not depend
// on it: sums have a fixed number of lanes (lanes.h), and no product is contracted with a sum
// (CMakeLists.txt).
#pragma once

#include "ringside/base/vectors.h"

#define RINGSIDE_INLINE __attribute__((always_inline)) inline
#define RINGSIDE_INLINE_LAMBDA __attribute__((always_inline))

namespace ringside::norms {

template <typename Body>
RINGSIDE_AVX512 void run_avx512(Body body) {
  body.template operator()<64>();
}
template <typename Body>
RINGSIDE_AVX2 void run_avx2(Body body) {
  body.template operator()<32>();
}

// body: a lambda [&]<int kBytes>() RINGSIDE_INLINE_LAMBDA, with kBytes of a vector, of functions that are
// RINGSIDE_INLINE.
template <typename Body>
void with_vectors_in_use(Body body) {
  const Vectors vectors = vectors_in_use();
  if (vectors == Vectors::kAvx512) return run_avx512(body);
  if (vectors == Vectors::kAvx2) return run_avx2(body);
  body.template operator()<16>();
}

}  // namespace ringside::norms
