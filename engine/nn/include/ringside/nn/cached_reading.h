// A causal classifier that reads on: what it computed for earlier tokens is kept, so that a text is written
// with one forward of one token each. Keys and values are all that later tokens need of earlier ones. For who
// writes, not for training: whole weights, no graph, no tensor parallelism.
// Shapes: B texts of equal length, n new tokens, t read before, H, A, Akv, D, V as in nn/layers.h.
#pragma once

#include <ATen/ATen.h>

#include <vector>

#include "ringside/base/random.h"
#include "ringside/nn/parameters.h"
#include "ringside/planner/classifier_layers.h"

namespace ringside::inline nn {

// Of what was read, each layer's.
struct KeyValueCache {
  std::vector<at::Tensor> k, v;  // (B, Akv, t, D); keys before they are turned by their positions
  int64_t read = 0;              // tokens so far, those that were dropped among them
  int64_t tokens() const { return k.empty() ? 0 : k[0].size(2); }
  // Drops all but the first `sinks` tokens and the last `window`. Rotary positions are counted among those
  // that are kept, so that none is farther away than sinks + window. Xiao et al. 2023, arXiv:2309.17453.
  void keep(int64_t sinks, int64_t window);
};

// Layers with the handles of their parameters, for who has the weights in a list.
ClassifierLayers layers_of(const ClassifierConfig& config);

// Reads tokens (B, n) behind what the cache has, which it adds to; logits of each, (B, n, V): those that a
// forward over all t + n tokens has there, up to rounding, if none was dropped. UsageError for a model that
// is not causal, whose norm is none of each token by itself before its sub-layer, for more tokens than
// learned positions, or for a cache of another number of texts.
at::Tensor read_on(const ClassifierConfig& config, const ClassifierLayers& layers, const Leaves& leaves,
                   const at::Tensor& tokens, KeyValueCache& cache);

struct Writing {
  double temperature = 1;   // 0: the likeliest token
  int64_t vocabulary = -1;  // only tokens below it; -1: all
};
// A token for each row of logits (B, V), drawn from softmax(logits / temperature): (B, 1) int64.
at::Tensor draw_tokens(const at::Tensor& logits, const Writing& writing, RandomStream& stream);
// Writes `count` tokens behind each of the prompts (B, P): (B, P + count).
at::Tensor write_on(const ClassifierConfig& config, const Leaves& leaves, const at::Tensor& prompts,
                    int64_t count, const Writing& writing, RandomStream& stream);

}  // namespace ringside::inline nn
