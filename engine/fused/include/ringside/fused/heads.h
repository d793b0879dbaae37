// Heads apart and together again, on plain memory: (B, T, A D) -> (B, A, T, D) and back. Of a batch without
// its padding (R, A D) -> (B, A, T, D): padding is 0 there, and nothing is read of it on the way back. Pairs
// (x_i, x_{i+D/2}) of a head can be turned by the angle a_i of their position, as rotary positions do:
//
//   apart:     y_i = x_i cos a_i - x_{i+D/2} sin a_i     y_{i+D/2} = x_{i+D/2} cos a_i + x_i sin a_i
//   together:  the same by -a_i
//
// Each is the other's backward. Su et al. 2021, arXiv:2104.09864. Real: float or double.
#pragma once

#include <cstdint>

namespace ringside::fused {

struct Heads {
  int64_t samples = 0, tokens = 0, heads = 0, size = 0;  // B, T, A, D
  // Where the R rows stand, ascending: b T + t of each. Null: all B T are there.
  const int64_t* rows = nullptr;
  int64_t row_count = 0;  // R
};

// (T, D) each, of which the first D/2 columns are read; null: nothing is turned.
struct Turn {
  const float *cos = nullptr, *sin = nullptr;
};

template <typename Real>
struct HeadsApart {
  Heads of;
  Turn turn;
  const Real* x;  // (B, T, A D) or (R, A D)
  Real* y;        // (B, A, T, D)
};

template <typename Real>
struct HeadsTogether {
  Heads of;
  Turn turn;
  const Real* y;  // (B, A, T, D)
  Real* x;        // (B, T, A D) or (R, A D)
};

template <typename Real>
void run(const HeadsApart<Real>& call);
template <typename Real>
void run(const HeadsTogether<Real>& call);

}  // namespace ringside::fused
