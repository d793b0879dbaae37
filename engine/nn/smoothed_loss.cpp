#include "ringside/nn/smoothed_loss.h"

#include "ringside/nn/batch.h"

namespace ringside::inline nn {

at::Tensor smoothed_loss(const at::Tensor& logits, const Batch& batch, double s) {
  if (s == 0) return weighted_loss(logits, batch);
  const at::Tensor minus_log = -at::log_softmax(logits, -1);  // (B, C)
  const at::Tensor of_label = minus_log.gather(1, batch.labels.unsqueeze(1)).squeeze(1);
  return ((of_label * (1 - s) + minus_log.mean(1) * s) * batch.weights).sum();
}

}  // namespace ringside::inline nn
