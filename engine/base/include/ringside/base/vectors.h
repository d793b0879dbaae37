// Which vector instructions the optimizers' updates and the norms are done with. All of them do the same IEEE
// operations on each element, in the same order, so the choice changes no bit, and one program runs on every
// processor of its kind. No product is contracted with a sum; where a rule asks for one rounding of both, it
// has one everywhere.
#pragma once

#include <cstdint>

// A function that is compiled for AVX2, or for AVX-512, whatever the rest of the program is compiled for.
#ifdef __x86_64__
#define RINGSIDE_AVX2 [[gnu::target("avx2,fma")]]
#else
#define RINGSIDE_AVX2
#endif
#if defined(__x86_64__) && !defined(__clang__)
#define RINGSIDE_AVX512 [[gnu::target("avx512f,avx512bw,avx512dq,avx512vl,prefer-vector-width=512")]]
#else
#define RINGSIDE_AVX512
#endif

namespace ringside {

enum class Vectors : uint8_t {
  kBase,   // those that every processor of the kind has: on x86-64 SSE2, 4 floats
  kAvx2,   // with FMA; x86-64 only, 8 floats
  kAvx512  // the same and g++ only, 16 floats: for what fits into the caches; memory is no faster for it
};
inline constexpr Vectors kAllVectors[] = {Vectors::kBase, Vectors::kAvx2, Vectors::kAvx512};

bool can_use(Vectors vectors);           // this processor has them, and this program was built with them
Vectors vectors_in_use();                // at the start the widest that can be used
void use_vectors(Vectors vectors);       // in the whole process; UsageError where they cannot be used
const char* to_string(Vectors vectors);  // "SSE2", "AVX2", "base" on another architecture

}  // namespace ringside
