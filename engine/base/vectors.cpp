#include "ringside/base/vectors.h"

#include <atomic>

#include "ringside/base/error.h"

namespace ringside::inline base {
namespace {

Vectors widest() {
  for (const Vectors vectors : {Vectors::kAvx512, Vectors::kAvx2})
    if (can_use(vectors)) return vectors;
  return Vectors::kBase;
}

std::atomic<Vectors>& chosen() {
  static std::atomic<Vectors> vectors = widest();
  return vectors;
}

}  // namespace

bool can_use(Vectors vectors) {
#ifdef __x86_64__
  if (vectors == Vectors::kAvx2) return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
#if RINGSIDE_HAS_AVX512
  if (vectors == Vectors::kAvx512)
    return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
           __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
#endif
#endif
  return vectors == Vectors::kBase;
}

Vectors vectors_in_use() { return chosen(); }

void use_vectors(Vectors vectors) {
  if (!can_use(vectors))
    throw UsageError(std::string("this processor, or this build, has no ") + to_string(vectors));
  chosen() = vectors;
}

const char* to_string(Vectors vectors) {
#ifdef __x86_64__
  constexpr const char* kNames[] = {"SSE2", "AVX2", "AVX-512"};
#else
  constexpr const char* kNames[] = {"base", "AVX2", "AVX-512"};
#endif
  return kNames[int(vectors)];
}

}  // namespace ringside::inline base
