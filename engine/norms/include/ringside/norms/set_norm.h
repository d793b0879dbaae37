// Norms whose statistics span tokens, on plain memory. Cells of a block (rows, H) that share a mean and a
// variance are a set:
//
//   batch norm      one feature, over all rows of the batch        one block: the batch         fold 1
//   instance norm   one feature, over the rows of one sample       a block each sample          fold 1
//   group norm      H/G features, over the rows of one sample      a block each sample          fold H/G
//
// So batch norm is instance norm of a batch that is joined to one sample. With n the cells of a set that are
// real:
//
//   m = sum x / n     v = sum (x - m)^2 / n     s = 1 / sqrt(v + eps)     u = (x - m) s
//   y = w u + b                                                     at a real token, elsewhere 0
//   dx = (g - sum g / n - u sum (g u) / n) s with g = w dy          sums over the set
//   dw = sum dy u     db = sum dy                                   sums over all rows
//
// Ioffe, Szegedy 2015, arXiv:1502.03167; Ulyanov, Vedaldi, Lempitsky 2016, arXiv:1607.08022; Wu, He 2018,
// arXiv:1803.08494. The passes are separate, so that ranks can add up what each of them has between two. All
// sums are fp64 and by feature (H); folded() brings them together to sets. Results are rounded once, to Real.
#pragma once

#include <cstdint>
#include <vector>

namespace ringside::norms {

struct Block {
  int64_t rows = 0, width = 0;  // width: H
  const bool* real = nullptr;   // (rows), false where a token is padding; null: all are real
  int64_t count() const;        // of real rows
};

using Sums = std::vector<double>;  // (H)

// Of the sets of a block, by feature: m and s.
struct SetStatistics {
  const double *mean, *scale;  // (H)
};

// sum x, and sum (x - m)^2, over the real rows.
template <typename Real>
Sums sum_of(const Block& block, const Real* x);
template <typename Real>
Sums squares_of(const Block& block, const Real* x, const double* mean);

// The sum of each `fold` neighbours, at each of them.
Sums folded(Sums sums, int64_t fold);

// y. Padding gets 0, whatever stands there.
template <typename Real>
void normalise(const Block& block, SetStatistics of, const Real* weight, const Real* bias, const Real* x,
               Real* y);

// By feature, over the real rows.
struct GradientSums {
  Sums dy, dy_u;  // db, dw of this block
};
template <typename Real>
GradientSums gradient_sums(const Block& block, SetStatistics of, const Real* x, const Real* dy);

// mean_g, mean_gu: sum g / n and sum (g u) / n of a feature's set. Padding gets 0.
template <typename Real>
void normalise_backward(const Block& block, SetStatistics of, const Real* weight, const Sums& mean_g,
                        const Sums& mean_gu, const Real* x, const Real* dy, Real* dx);

}  // namespace ringside::norms
