#include "ringside/nn/singular_values.h"

#include <cmath>

namespace ringside::inline nn {

SingularValues::SingularValues(const at::Tensor& of) : matrix(of), values(at::linalg_svdvals(of)) {}

int64_t SingularValues::rank_in(at::ScalarType type) const {
  const double noise = type == at::kDouble
                           ? double(matrix.size(0)) * std::ldexp(1.0, -52) * values[0].item<double>()
                           : at::linalg_svdvals(matrix.to(type).to(at::kDouble) - matrix)[0].item<double>();
  return values.gt(noise).sum().item<int64_t>();
}

double SingularValues::effective_rank() const {
  const at::Tensor share = values / values.sum();
  return std::exp(-(share * share.clamp_min(1e-300).log()).sum().item<double>());
}

double SingularValues::condition() const { return (values[0] / values[-1]).item<double>(); }

double SingularValues::log10_determinant() const {
  const bool is_triangle = matrix.triu(1).abs().max().item<double>() == 0;
  const at::Tensor factors = is_triangle ? matrix.diagonal().abs() : values.clamp_min(1e-300);
  return factors.log10().sum().item<double>();
}

double distance_to_equal_rows(const at::Tensor& x) {
  return ((x - x.mean(0, true)).norm() / x.norm()).item<double>();
}

}  // namespace ringside::inline nn
