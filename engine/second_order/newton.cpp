#include "ringside/second_order/newton.h"

#include <fmt/format.h>

#include <limits>

namespace ringside::inline second_order {

NewtonStep newton_step(const Derivatives& at, const NewtonOptions& options) {
  const at::Tensor hessian = at.hessian().to(at::kDouble);
  const auto [eigenvalues, eigenvectors] =
      at::linalg_eigh((hessian + hessian.t()) / 2);  // rising; in columns
  const at::Tensor curvature = (options.absolute ? eigenvalues.abs() : eigenvalues) + options.damping;
  const double largest = eigenvalues.abs().max().item<double>() + options.damping;
  const double epsilon = at.gradient().scalar_type() == at::kDouble ? std::numeric_limits<double>::epsilon()
                                                                    : std::numeric_limits<float>::epsilon();
  const double zero = double(at.size()) * epsilon * largest;
  const int64_t none = (curvature.abs() <= zero).sum().item<int64_t>();
  if (none > 0)
    throw SingularError(
        fmt::format("the Hessian with damping {:g} is singular, of rank {} of {}: it has no inverse; "
                    "another damping gives it one",
                    options.damping, at.size() - none, at.size()));
  const at::Tensor along = eigenvectors.t().mv(at.gradient().to(at::kDouble));  // (n) g by eigenvector
  NewtonStep step;
  step.direction = -eigenvectors.mv(along / curvature).to(at.gradient().scalar_type());
  step.damping = options.damping;
  step.climbs = (curvature < 0).sum().item<int64_t>();
  step.least = eigenvalues[0].item<double>();
  step.largest = eigenvalues[-1].item<double>();
  return step;
}

}  // namespace ringside::inline second_order
