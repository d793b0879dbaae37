#include "ringside/nn/contrastive_loss.h"

#include <fmt/format.h>

#include "ringside/base/error.h"

namespace ringside::inline nn {

at::Tensor contrastive_loss(const at::Tensor& a, const at::Tensor& b, int64_t first, double temperature) {
  const int64_t n = a.size(0);
  if (first < 0 || first + n > b.size(0))
    throw UsageError(fmt::format("partners {} to {} of {} rows: there are {} to be found", first,
                                 first + n - 1, n, b.size(0)));
  const at::Tensor log_p = at::log_softmax(at::matmul(a, b.t()) / temperature, 1);  // (n, m)
  const at::Tensor partner = at::arange(first, first + n, a.options().dtype(at::kLong)).unsqueeze(1);
  return -log_p.gather(1, partner).mean();
}

at::Tensor normalized_rows(const at::Tensor& x) { return x / x.pow(2).sum(1, true).sqrt(); }

}  // namespace ringside::inline nn
