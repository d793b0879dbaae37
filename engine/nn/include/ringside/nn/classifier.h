// A sequence classifier in the shape of Qwen2ForSequenceClassification:
// embedding, L decoder layers, final norm, and a head read at the last real token.
#pragma once

#include <ATen/ATen.h>

#include "ringside/nn/layers.h"
#include "ringside/nn/model.h"
#include "ringside/nn/norm.h"
#include "ringside/tensor/memory_hook.h"

namespace ringside {

class Classifier : public Model {
 public:
  // max_tokens bounds T.
  Classifier(const ClassifierConfig& config, int64_t max_tokens);

  ParameterSet& parameters() override { return parameters_; }
  Buffers& buffers() override { return buffers_; }

  // What is wanted changes no bit of the logits. The last hidden state has no graph: the head
  // normalises one row of it only, and backward is to stay what it is without it.
  ModelOutput forward(const Batch& batch, const Context& context) override;

 private:
  at::Tensor embed(const at::Tensor& tokens) const;  // (B, T) -> (B, T, H)
  // (B, T, H) -> same; attention: where its probabilities go, or null
  at::Tensor layer(int64_t index, const at::Tensor& x, at::Tensor* attention) const;
  // The same, which keeps x alone. hooks, or null, hear of the second forward. *this and they outlive
  // backward.
  at::Tensor recomputed_layer(int64_t index, const at::Tensor& x, at::Tensor* attention,
                              UnitHooks* hooks) const;
  at::Tensor head(const at::Tensor& x, const at::Tensor& last) const;  // (B, T, H) -> (B, C)
  at::Tensor final_hidden_state(const at::Tensor& x) const;            // (B, T, H) -> same
  MemoryScope as_hidden_state(int unit) const;  // allocations are a unit's hidden state until it ends

  ClassifierConfig config_;
  ClassifierLayers layers_;
  ParameterSet parameters_;
  Buffers buffers_;
  RotaryTable rotary_;
  at::Tensor mask_;  // (T, T)
};

}  // namespace ringside
