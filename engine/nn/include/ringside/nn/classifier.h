// A sequence classifier in the shape of Qwen2ForSequenceClassification:
// embedding, L decoder layers, final norm, and a head read at the last real token.
#pragma once

#include <ATen/ATen.h>

#include <memory>

#include "ringside/nn/layers.h"
#include "ringside/nn/model.h"
#include "ringside/nn/norm.h"
#include "ringside/nn/tensor_parallel.h"
#include "ringside/tensor/memory_hook.h"

namespace ringside::inline nn {

struct ModelSite;  // nn/task.h

class Classifier : public Model {
 public:
  // max_tokens bounds T. tp: which parts of it are computed here; UsageError where the sizes cannot be cut,
  // or tokens cannot be spread over places since a norm spans them. place: whose parameters are here; none:
  // tp's.
  Classifier(const ClassifierConfig& config, int64_t max_tokens, const TensorParallel& tp = {},
             at::Device device = at::kCPU, const ModelPlace& place = {});

  ParameterSet& parameters() override { return parameters_; }
  Buffers& buffers() override { return buffers_; }

  // What is wanted changes no bit of the logits. The last hidden state has no graph: the head
  // normalises one row of it only, and backward is to stay what it is without it. Norms that span tokens
  // leave padding out: where the context has no token mask it is taken from the batch. Attentions are those
  // of this place's heads, hidden states of its tokens; UsageError where these are wanted and
  // ClassifierConfig::packed leaves tokens out.
  ModelOutput forward(const Batch& batch, const Context& context) override;
  at::Tensor room_for_input(const Batch& batch) const override;

 private:
  at::Tensor embed(const Batch& batch, const Packing& packing) const;  // (B, T, H) or (R, H)
  at::Tensor normalised(const NormLayer& norm, int unit, const at::Tensor& x, const Context& context) const;
  // x, less what dropout takes; which: of the unit's two
  at::Tensor without_dropped(const at::Tensor& x, int unit, int which, const Context& context) const;
  TensorParallel::Region region(int unit) const;
  // (B, T, H) or (R, H) -> same; attention: where its probabilities go, or null
  at::Tensor layer(int64_t index, const at::Tensor& x, at::Tensor* attention, const Context& context) const;
  // The same, which keeps x alone. context.hooks, or null, hear of the second forward. *this and they outlive
  // backward.
  at::Tensor recomputed_layer(int64_t index, const at::Tensor& x, at::Tensor* attention,
                              const Context& context) const;
  // (B, T_r, H) -> (B, C), or (B, T, C) of every position; hidden_state: where the normalised x goes, or null
  at::Tensor head(const at::Tensor& own, const Batch& batch, at::Tensor* hidden_state,
                  const Context& context) const;
  // The same of a tied head over tp: a place has the logits of the rows of the vocabulary that it keeps,
  // (B, T, V_r), padding among them.
  at::Tensor cut_head(const at::Tensor& x, const Batch& batch, at::Tensor* hidden_state,
                      const Context& context) const;
  MemoryScope as_hidden_state(int unit) const;  // allocations are a unit's hidden state until it ends

  ClassifierConfig config_;
  ClassifierLayers layers_;
  TensorParallel tp_;
  ParameterSet parameters_;
  Buffers buffers_;
  RotaryTable rotary_;
  at::Tensor mask_;  // (T, T)
};

// That of one rank's site, or of the process that emulates all of them: for Tasks. sequence: as the run's
// distribution says. UsageError as the constructor has them.
std::unique_ptr<Model> classifier_at(const ModelSite& site, const ClassifierConfig& config,
                                     int64_t max_tokens, bool sequence);

}  // namespace ringside::inline nn
