// A causal classifier that reads on: what it computed for earlier tokens is kept, so that a text is written
// with one forward of one token each. Keys and values are all that later tokens need of earlier ones. For who
// writes, not for training: no graph.
// Shapes: B texts of equal length, n new tokens, t read before, H, A, Akv, D, V as in nn/layers.h.
#pragma once

#include <string>
#include <vector>

#include "ringside/base/random.h"
#include "ringside/nn/language_model.h"

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

// Reads tokens (B, n) behind what the cache has, which it adds to; logits of each, (B, n, V): those that a
// forward over all t + n tokens has there, up to rounding, if none was dropped. UsageError for a model that
// is not causal, whose norm is none of each token by itself before its sub-layer, for more tokens than
// learned positions, or for a cache of another number of texts.
at::Tensor read_on(const LanguageModel& model, const at::Tensor& tokens, KeyValueCache& cache);

// How a text is read that may be longer than what a model was trained on.
struct Streaming {
  int64_t piece = 1;  // tokens of a forward
  int64_t most = 0;   // tokens that its last one sees, itself among them: a multiple of pieces
  int64_t sinks = 0;  // of them, so many are the text's first
};
// -log p(token | those before it that are kept), (B, T-1). texts: (B, T), T a multiple of the piece
at::Tensor streamed_losses(const LanguageModel& model, const at::Tensor& texts, const Streaming& how);

struct Writing {
  double temperature = 1;   // 0: the likeliest token
  int64_t vocabulary = -1;  // only tokens below it; -1: all
  bool cached = true;       // off: for each token the whole text is read again
};
// A token for each row of logits (B, V), drawn from softmax(logits / temperature): (B, 1) int64. UsageError
// for a temperature below 0; an Error for logits that are NaN, or whose largest is infinite.
at::Tensor draw_tokens(const at::Tensor& logits, const Writing& writing, RandomStream& stream);
struct Written {
  at::Tensor text;   // (B, P + count)
  int64_t read = 0;  // tokens of one text that forwards read: P + count - 1 with a cache
};
// Writes `count` tokens behind each of the prompts (B, P).
Written write_on(const LanguageModel& model, const at::Tensor& prompts, int64_t count, const Writing& writing,
                 RandomStream& stream);
// A prompt and what a model of bytes writes behind it, drawn from the stream (seed, prompt), as a line of
// ASCII: '|' for an end of a line, '?' for what else cannot be printed.
std::string write_line(const LanguageModel& model, const std::string& prompt, int64_t count,
                       const Writing& writing, uint64_t seed);

}  // namespace ringside::inline nn
