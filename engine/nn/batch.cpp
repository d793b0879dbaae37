#include "ringside/nn/batch.h"

namespace ringside {

at::Tensor token_mask(const Batch& batch) {
  const at::Tensor positions = at::arange(batch.tokens.size(1), at::kLong).unsqueeze(0);
  return positions.le(batch.last.unsqueeze(1)).logical_and(batch.weights.ne(0).unsqueeze(1));
}

at::Tensor weighted_loss(const at::Tensor& logits, const Batch& batch) {
  const at::Tensor picked = at::log_softmax(logits, -1).gather(1, batch.labels.unsqueeze(1)).squeeze(1);
  return -(picked * batch.weights).sum();
}

}  // namespace ringside
