// What one rank contributes to the gathers of one evaluation batch, from the configuration
// alone. A direct all-gather sends (N-1) times that from each rank.
//
// R rows, T tokens, C classes, H hidden, L layers, A heads, w bytes an element:
//   logits and labels  R (4 C + 8)      logits in fp32, labels in int64
//   hidden states      (L + 1) R T H w  the embedding's output and each layer's
//   attentions         L R A T^2 w
#pragma once

#include "training.h"

namespace ringside::nccl_lesson {

struct GatheredOutputs {
  bool logits = false;
  bool hidden_states = false;
  bool attentions = false;
  ClassifierConfig model;
  int64_t rows = 0, tokens = 0;  // of every batch on every rank
  int64_t width = 4;             // w on the wire, of hidden states and attentions
};
// What every rank contributes, if every one of them returns the same.
GatheredOutputs gathered_outputs(const Training& training);

struct ContributionBytes {
  int64_t logits = 0, hidden_states = 0, attentions = 0;
  int64_t total() const { return logits + hidden_states + attentions; }
};
ContributionBytes contribution_bytes(const GatheredOutputs& outputs);

}  // namespace ringside::nccl_lesson
