// A sequence classifier in the shape of Qwen2ForSequenceClassification:
// embedding, L decoder layers, final norm, and a head read at the last real token.
#pragma once

#include <ATen/ATen.h>

#include <vector>

#include "ringside/nn/layers.h"
#include "ringside/nn/parameters.h"
#include "ringside/nn/unit_hooks.h"
#include "ringside/tensor/memory_hook.h"

namespace ringside {

// Right-padded. A row of weight 0 counts for nothing: it only keeps a rank without
// samples in step with the others.
struct Batch {
  at::Tensor tokens;   // (B, T) int64
  at::Tensor last;     // (B) int64, position of the last real token
  at::Tensor labels;   // (B) int64
  at::Tensor weights;  // (B) fp32, 1 or 0
};

struct WantedOutputs {
  bool hidden_states = false;
  bool attentions = false;
};

// As Hugging Face's SequenceClassifierOutput: hidden states are what the embedding and each layer
// put out, the last after the final norm. Lists that were not wanted are empty.
struct ClassifierOutput {
  at::Tensor logits;                      // (B, C) fp32
  std::vector<at::Tensor> hidden_states;  // L+1 of (B, T, H)
  std::vector<at::Tensor> attentions;     // L of (B, A, T, T), after the softmax
};

class Classifier {
 public:
  // max_tokens bounds T. Parameters are shapes only until someone fills parameters().leaves.
  Classifier(const ClassifierConfig& config, int64_t max_tokens);

  const ClassifierConfig& config() const { return config_; }
  ParameterSet& parameters() { return parameters_; }
  const ParameterSet& parameters() const { return parameters_; }

  // What is wanted changes no bit of the logits. The last hidden state has no graph: the head
  // normalises one row of it only, and backward is to stay what it is without it.
  ClassifierOutput forward(const Batch& batch, UnitHooks& hooks, WantedOutputs wanted) const;
  at::Tensor logits(const Batch& batch, UnitHooks& hooks) const;  // (B, C) fp32

  // A module's training flag. Nothing here depends on it; see wrapped_classifier.h.
  bool training() const { return training_; }
  void set_training(bool training) { training_ = training; }

 private:
  at::Tensor embed(const at::Tensor& tokens) const;  // (B, T) -> (B, T, H)
  // (B, T, H) -> same; attention: where its probabilities go, or null
  at::Tensor layer(int64_t index, const at::Tensor& x, at::Tensor* attention) const;
  at::Tensor head(const at::Tensor& x, const at::Tensor& last) const;  // (B, T, H) -> (B, C)
  at::Tensor final_hidden_state(const at::Tensor& x) const;            // (B, T, H) -> same
  MemoryScope as_hidden_state(int unit) const;  // allocations are a unit's hidden state until it ends

  ClassifierConfig config_;
  ParameterSet parameters_;
  RotaryTable rotary_;
  at::Tensor mask_;  // (T, T)
  bool training_ = true;
};

// sum_i weight_i * cross_entropy(logits_i, label_i): (). The mean over the global batch
// is taken later, in the optimizer, by dividing by the samples of all ranks.
at::Tensor weighted_loss(const at::Tensor& logits, const Batch& batch);

// The initial value of a parameter, in contiguous fp32, drawn from a RandomStream of its own so that it
// depends neither on the ranks nor on LibTorch: norms 1, biases 0, matrices normal(0, 0.02).
void initialize(at::Tensor out, const ParameterShape& shape, uint64_t seed);

}  // namespace ringside
