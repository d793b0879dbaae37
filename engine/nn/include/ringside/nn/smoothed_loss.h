// Cross entropy against a smoothed label. Of a sample with logits z (C), label y and weight w, with
// p = softmax(z):
//
//   w ((1 - s) (-log p_y) + s / C  sum_c (-log p_c))
//
// Szegedy et al. 2015, arXiv:1512.00567; PyTorch's CrossEntropyLoss(label_smoothing=s, reduction="sum").
// Torch-free.
#pragma once

namespace at {
class Tensor;
}

namespace ringside::inline nn {

struct Batch;  // nn/batch.h

// Summed over the samples of the batch: (). logits: (B, C), s in [0, 1). s = 0 is weighted_loss(), bit for
// bit.
at::Tensor smoothed_loss(const at::Tensor& logits, const Batch& batch, double s);

}  // namespace ringside::inline nn
