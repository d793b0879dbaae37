// Models that return more than logits, and an evaluation that gathers what they returned, as Hugging Face's
// Trainer does. What one rank contributes to the gathers of one batch follows from shapes; a direct
// all-gather sends (N-1) times that from each rank:
//
// R rows, T tokens, C classes, H hidden, L layers, A heads, w bytes an element:
//   logits and labels  R (4 C + 8)      logits in fp32, labels in int64
//   hidden states      (L + 1) R T H w  the embedding's output and each layer's
//   attentions         L R A T^2 w
//
// Torch-free.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>

#include "ringside/nn/task.h"
#include "ringside/planner/classifier_layers.h"

namespace ringside::inline nn {

class Evaluation;  // nn/evaluation.h

// ---- The model ----------------------------------------------------------------

// A model that returns these beside logits, whatever its caller wants. training: whether it is asked in
// training mode.
std::unique_ptr<Model> returning(std::unique_ptr<Model> inner,
                                 std::function<WantedOutputs(bool training)> what);
// For TrainerConfig::make_model: a Classifier of that shape on each rank.
std::function<std::unique_ptr<Model>(int rank)> returning_classifier(
    const ClassifierConfig& model, int64_t max_tokens,
    std::function<WantedOutputs(int rank, bool training)> what);

// ---- The evaluation -----------------------------------------------------------

// How hidden states and attentions are sent.
enum class GatherTransfer : uint8_t {
  kWhole,      // a tensor in one all-gather
  kChunked,    // in several of `chunk` elements
  kCompressed  // in one, as bf16; what is kept has the model's type again
};

// What every rank contributes, if every one of them returns the same.
struct GatheredOutputs {
  bool logits = false;  // with labels
  bool hidden_states = false, attentions = false;
  ClassifierConfig model = {};
  int64_t rows = 0, tokens = 0;  // of every batch on every rank
  int64_t width = 4;             // w on the wire, of hidden states and attentions
};
struct ContributionBytes {
  int64_t logits = 0, hidden_states = 0, attentions = 0;
  int64_t total() const { return logits + hidden_states + attentions; }
};
ContributionBytes contribution_bytes(const GatheredOutputs& outputs);

struct GatheringOptions {
  GatheredOutputs expected = {};  // for the prediction
  bool all_outputs = false;       // logits and labels, and whatever else forward returned
  GatherTransfer transfer = GatherTransfer::kWhole;
  int64_t chunk = int64_t{1} << 16;  // elements that a rank contributes to one chunk
  // except Exception: continue. That rank leaves out a batch, and its gathers.
  std::function<bool(int rank, int64_t batch)> leaves_out = {};
};
// Each rank keeps what was gathered until the evaluation ends, and scores the whole.
std::shared_ptr<const Evaluation> gathering_evaluation(const GatheringOptions& options);

}  // namespace ringside::inline nn
