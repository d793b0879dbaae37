// What one rank contributes to the gathers of one evaluation batch, from the configuration
// alone. A direct all-gather sends (N-1) times that from each rank.
//
// R rows, T tokens, C classes, H hidden, L layers, A heads, w bytes an element:
//   logits and labels  R (4 C + 8)      logits in fp32, labels in int64
//   hidden states      (L + 1) R T H w  the embedding's output and each layer's
//   attentions         L R A T^2 w
#pragma once

#include <cstdint>

#include "ringside/planner/classifier_layers.h"

namespace ringside {

struct GatheredOutputs {
  bool logits = false;  // false: nothing is gathered, three sums are added up at the end
  bool hidden_states = false;
  bool attentions = false;
  ClassifierConfig model;
  int64_t rows = 0, tokens = 0;  // of every batch on every rank
  int64_t width = 4;             // w on the wire, of hidden states and attentions
};

struct ContributionBytes {
  int64_t logits = 0, hidden_states = 0, attentions = 0;
  int64_t total() const { return logits + hidden_states + attentions; }
};
ContributionBytes contribution_bytes(const GatheredOutputs& outputs);

// How often a run evaluates that takes `steps` steps: after every `every`-th but the last, and once at its
// end; every 0: at the end alone, -1: never. A run that is cancelled before its last step (whole: false) is
// at its end too.
int64_t count_evaluations(int64_t every, int64_t steps, bool whole);

// Forward passes of one evaluation: on every rank as many as the longest share of the samples needs.
int64_t count_evaluation_batches(int64_t samples, int64_t ranks, int64_t rows);

}  // namespace ringside
