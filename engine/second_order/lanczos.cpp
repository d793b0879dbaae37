#include "ringside/second_order/lanczos.h"

#include <algorithm>
#include <cmath>

#include "ringside/base/check.h"

namespace ringside::inline second_order {
namespace {

constexpr double kNothing = 1e-12;  // of the matrix: what is left of a product that gives no new direction

std::vector<RitzValue> values_of(const std::vector<double>& diagonal, const std::vector<double>& beside) {
  const auto k = std::ssize(diagonal);
  const at::Tensor T = at::zeros({k, k}, at::kDouble);
  auto entries = T.accessor<double, 2>();
  for (int64_t i = 0; i < k; ++i) {
    entries[i][i] = diagonal[size_t(i)];
    if (i + 1 < k) entries[i][i + 1] = entries[i + 1][i] = beside[size_t(i)];
  }
  const auto [values, vectors] = at::linalg_eigh(T);  // rising; in columns
  std::vector<RitzValue> found;
  for (int64_t i = k - 1; i >= 0; --i)
    found.push_back({values[i].item<double>(), beside.back() * std::abs(vectors[k - 1][i].item<double>())});
  return found;
}

}  // namespace

std::vector<RitzValue> ritz_values(const MatrixProduct& times, const at::Tensor& start, int64_t products) {
  const int64_t n = start.numel();
  RINGSIDE_CHECK(products >= 1 && n >= 1, "a product with a vector of some numbers is wanted");
  const double length = start.to(at::kDouble).norm().item<double>();
  RINGSIDE_CHECK(length > 0 && std::isfinite(length), "a start that is not 0 and has no NaN is wanted");
  at::Tensor v = start.to(at::kDouble) / length;
  const at::Tensor basis = at::empty({std::min(products, n), n}, at::kDouble);
  std::vector<double> diagonal, beside;
  double largest = 0;
  for (int64_t k = 0; k < basis.size(0); ++k) {
    basis[k].copy_(v);
    at::Tensor rest = times(v).to(at::kDouble);
    diagonal.push_back(rest.dot(v).item<double>());
    largest = std::max(largest, rest.norm().item<double>());
    const at::Tensor so_far = basis.narrow(0, 0, k + 1);
    for (int twice = 0; twice < 2; ++twice) rest = rest - so_far.t().mv(so_far.mv(rest));
    beside.push_back(rest.norm().item<double>());
    if (beside.back() <= kNothing * largest) break;
    v = rest / beside.back();
  }
  return values_of(diagonal, beside);
}

}  // namespace ringside::inline second_order
