// What a trainer needs to know of a model: its parameters and buffers by name, and a forward pass. How the
// parameters are distributed is the Strategy's matter, which sees the ParameterSet and the hooks alone.
#pragma once

#include <ATen/ATen.h>

#include <optional>
#include <vector>

#include "ringside/base/error.h"
#include "ringside/nn/batch.h"
#include "ringside/nn/dropout.h"
#include "ringside/nn/parameters.h"
#include "ringside/nn/task.h"

namespace ringside::inline nn {

struct KeptStatistics;  // nn/batch_norm.h
class TensorParallel;   // nn/tensor_parallel.h

enum class Mode : uint8_t { kTrain, kEvaluate };

// What a forward pass takes from its surroundings, beside the batch.
struct Context {
  Mode mode = Mode::kTrain;
  at::Tensor token_mask = {};  // (B, T) bool, token_mask(batch); undefined: every position is a real token
  UnitHooks* hooks = nullptr;  // null: nobody is told
  // Whose ranks share the statistics of a batch; null: this rank's alone. Backward calls it too, at a moment
  // that depends on the rank, so nothing else may be called in it.
  ProcessGroup* statistics = nullptr;
  WantedOutputs wanted = {};
  // Of a part of a pipeline's model: the units that are computed, and what the part before put out,
  // (B, T_r, H), where it is not the first. None: all units.
  std::optional<UnitRange> units = {};
  at::Tensor input = {};
  bool recompute = false;  // each layer keeps its input alone (nn/recompute.h); changes no bit
  std::optional<DropoutDraws> draws = {};  // what a model with dropout drops; none: nothing
  KeptStatistics* kept = nullptr;          // of a layer that is recomputed; null: of none
  at::Tensor mask = {};  // of attention, (B, 1, T, T), which forward makes of a batch padded on the left
  Packing packing = {};  // which forward makes where padding is left out
};

// As Hugging Face's SequenceClassifierOutput: hidden states are what the embedding and each layer
// put out, the last after the final norm. Lists that were not wanted are empty.
struct ModelOutput {
  at::Tensor logits;                      // (B, C) fp32; of a language model (B, T, C)
  std::vector<at::Tensor> hidden_states;  // L+1 of (B, T, H)
  std::vector<at::Tensor> attentions;     // L of (B, A, T, T), after the softmax
  at::Tensor hidden{};                    // (B, T_r, H) of a part without the head, in place of logits
  // Not null: the logits are those of a place's rows of the vocabulary (TensorParallel::parts), and it
  // outlives them.
  const TensorParallel* cut_over = nullptr;
};

class Model {
 public:
  virtual ~Model() = default;
  virtual ParameterSet& parameters() = 0;  // without values until someone fills its leaves
  virtual Buffers& buffers() = 0;
  virtual ModelOutput forward(const Batch& batch, const Context& context) = 0;
  // (B, T_r, H), without values: for what the part before puts out of a batch. InvariantError where a model
  // has no parts.
  virtual at::Tensor room_for_input(const Batch&) const {
    throw InvariantError("this model has no parts for a pipeline");
  }
};

}  // namespace ringside::inline nn
