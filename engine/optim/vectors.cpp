#include "ringside/optim/vectors.h"

#include <atomic>

#include "ringside/base/error.h"

namespace ringside {
namespace {

std::atomic<Vectors>& chosen() {
  static std::atomic<Vectors> vectors = can_use(Vectors::kAvx2) ? Vectors::kAvx2 : Vectors::kBase;
  return vectors;
}

}  // namespace

bool can_use(Vectors vectors) {
  if (vectors == Vectors::kBase) return true;
#ifdef __x86_64__
  return __builtin_cpu_supports("avx2") != 0;
#else
  return false;
#endif
}

Vectors vectors_in_use() { return chosen(); }

void use_vectors(Vectors vectors) {
  if (!can_use(vectors)) throw UsageError(std::string("this processor has no ") + to_string(vectors));
  chosen() = vectors;
}

const char* to_string(Vectors vectors) {
#ifdef __x86_64__
  return vectors == Vectors::kAvx2 ? "AVX2" : "SSE2";
#else
  return vectors == Vectors::kAvx2 ? "AVX2" : "base";
#endif
}

}  // namespace ringside
