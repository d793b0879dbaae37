// What a model reads in one forward pass, and the loss of what it answers.
#pragma once

#include <ATen/ATen.h>

#include <vector>

#include "ringside/data/dataset.h"

namespace ringside::inline nn {

// A row of weight 0 counts for nothing: it only keeps a rank without samples in step with the others.
struct Batch {
  at::Tensor tokens;                 // (B, T) int64
  at::Tensor last;                   // (B) int64, position of the last real token
  at::Tensor labels;                 // (B) int64
  at::Tensor weights;                // (B) fp32, of a sample's loss; 0: the row is none
  std::vector<at::Tensor> beside{};  // what a Task's own loss needs: what a reference said, advantages
  at::Tensor first{};  // (B) int64, position of the first real token; undefined: padded on the right
};

Batch on(at::Device device, Batch batch);  // itself, or a copy there

struct BatchShape {
  int64_t rows = 1, tokens = 1;
};

// Samples as padded tensors: as long as the longest of them, and of at least the given shape. Further rows
// have weight 0, so that a rank without samples still runs the same forward and the same collectives.
Batch make_batch(const std::vector<Sample>& samples, const std::vector<int64_t>& indices,
                 BatchShape at_least = {}, const Padding& padding = {});

// (B, T) bool: true where a real token stands, of a row whose weight is not 0.
at::Tensor token_mask(const Batch& batch);

// Of a batch whose padding is left out: where its rows stand in (B, T).
struct Packing {
  int64_t samples = 0, tokens = 0;  // B, T
  at::Tensor rows{};                // (R) int64, ascending: b T + t of each; undefined: all are there
  at::Tensor read{};                // (B) int64: which of them are read behind attention; undefined: all
  at::Tensor read_of(const at::Tensor& x) const { return read.defined() ? x.index_select(0, read) : x; }
};
Packing without_padding(const Batch& batch);  // read: each sample's last token

// sum_i weight_i * cross_entropy(logits_i, label_i): (). The mean over the global batch
// is taken later, in the optimizer, by dividing by the samples of all ranks.
at::Tensor weighted_loss(const at::Tensor& logits, const Batch& batch);
// The same against a smoothed label: (), s in [0, 1). s = 0 is weighted_loss(), bit for bit. Of a sample with
// logits z (C), label y and weight w, with p = softmax(z):
//
//   w ((1 - s) (-log p_y) + s / C  sum_c (-log p_c))
//
// Szegedy et al. 2015, arXiv:1512.00567; PyTorch's CrossEntropyLoss(label_smoothing=s, reduction="sum").
at::Tensor smoothed_loss(const at::Tensor& logits, const Batch& batch, double s);

}  // namespace ringside::inline nn
