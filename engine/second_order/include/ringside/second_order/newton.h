// Newton's method with the exact Hessian: the step to where the loss's quadratic model has no slope.
//
//   (H + lambda I) d = -g          w <- w + d
//
// solved by the eigenvectors of H, which also say what kind of place it is: an eigenvalue of H + lambda I
// that is below 0 is a direction in which the step goes up, towards a saddle or a maximum; one that is 0 has
// no step. Damping: Levenberg 1944, doi:10.1090/qam/10666. With |eigenvalues| instead every direction goes
// down: Dauphin et al. 2014, arXiv:1406.2572 ("saddle-free").
//
// 0 is what is at most n epsilon times the largest, epsilon that of the parameters' type: in fp32 a small
// eigenvalue is lost in the rounding of H.
//
// Costs n Hessian-vector products, n^2 numbers of memory and n^3 operations.
#pragma once

#include "ringside/second_order/derivatives.h"

namespace ringside::inline second_order {

struct NewtonOptions {
  double damping = 0;     // lambda
  bool absolute = false;  // |eigenvalues of H| + lambda
};

struct NewtonStep {
  at::Tensor direction;           // (n) d
  double damping = 0;             // lambda that it was solved with
  int64_t climbs = 0;             // directions in which it goes up
  double least = 0, largest = 0;  // eigenvalues of H
};

// H + lambda I has no inverse. The message says its rank, and what to do.
struct SingularError : Error {
  explicit SingularError(const std::string& message) : Error(ExitCode::kCheckFailed, message) {}
};

NewtonStep newton_step(const Derivatives& at, const NewtonOptions& options = {});

}  // namespace ringside::inline second_order
