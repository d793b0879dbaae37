// What a card holds of a released model that is trained: its state (zero_plan.h), and what forward keeps for
// backward. Of b sequences of s tokens, hidden size h, a heads, L layers that is
//   bytes = L (c1 s b h + c2 a s^2 b)
// the form of Korthikanti et al. 2022 (arXiv:2205.05198: c1 = 34, c2 = 5 for GELU with I = 4h, dropout, 16
// bits). c1 and c2 are fitted to counted bytes. Left out: embedding and head, of which the logits are counted
// apart, and what backward works with beside it, which a peak has (a few percent).
#pragma once

#include <optional>
#include <vector>

#include "ringside/planner/classifier_layers.h"
#include "ringside/planner/model_config.h"
#include "ringside/planner/zero_plan.h"

namespace ringside::inline planner {

struct ActivationSizes {
  int64_t b = 1, s = 1, h = 1, a = 1, L = 1;  // sequences, tokens, hidden, heads, layers
};

struct ActivationTerms {  // c1 and c2
  double hidden = 0, scores = 0;
  double bytes(const ActivationSizes& of) const;
  // As kernels compute attention that never store its scores (FlashAttention).
  ActivationTerms without_scores() const { return {hidden, 0}; }
};
inline constexpr ActivationTerms kPaperTerms{34, 5};  // of arXiv:2205.05198
inline constexpr ActivationTerms kInputTerms{2, 0};   // a layer's input alone, in bf16
// Of this engine's layer, of a model's proportions: for a token about 22 h for norms and attention, 4 h by
// kv_heads / heads, 8 I for SwiGLU, 6 a s for the scores (a softmax in fp32 and its copy in bf16).
ActivationTerms listed_terms(const TextSizes& model);

struct CountedActivations {
  ActivationSizes sizes;
  double bytes = 0;
};
// Least squares of the relative errors; none where the sizes do not tell c1 from c2.
std::optional<ActivationTerms> fit_terms(const std::vector<CountedActivations>& counted);

// So small that it is trained here, and of the same proportions: heads to key and value heads, of which there
// are as few as `least_heads` allows, and intermediate to hidden.
ClassifierConfig small_model(const TextSizes& like, int64_t least_heads, int64_t head_size, int64_t layers);

struct CardBudget {
  ModelConfig model;
  double parameters = 0;     // Ψ, of its language model
  int cards = 1, stage = 0;  // ZeRO's
  double memory = 0;         // bytes of a card
  int64_t tokens = 1;        // of a sequence
  StateBytes state(int of_stage) const;
  StateBytes state() const { return state(stage); }
  double logits() const;                                  // of one sequence, in fp32, once
  double sequence(const ActivationTerms& terms) const;    // activations and logits of one
  double recomputed(const ActivationTerms& terms) const;  // layer inputs, and one layer; logits
  // Sequences that fit beside the state; 0: none.
  int64_t most(double state, double sequence) const;

 private:
  ActivationSizes sizes() const;
};
CardBudget card_budget(const std::string& model);  // of named_model(); the rest is still to be said

}  // namespace ringside::inline planner
