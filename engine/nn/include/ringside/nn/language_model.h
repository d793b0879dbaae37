// A language model with its weights, and what is measured of them and on texts: whole, on one thread, without
// tensor parallelism. For who asks, compares and writes (nn/cached_reading.h), not for training. Shapes: B
// texts of T tokens, V tokens in the vocabulary. Batches are those of batch_of() (nn/language_tasks.h), which
// says what tokens carry a loss. Losses are in nats.
#pragma once

#include <vector>

#include "ringside/nn/model.h"
#include "ringside/planner/classifier_layers.h"

namespace ringside::inline nn {

struct LanguageModel {
  LanguageModel(const ClassifierConfig& of, std::vector<at::Tensor> whole);

  ClassifierConfig config;
  ClassifierLayers layers;          // with the handles of their parameters
  std::vector<at::Tensor> weights;  // in the order of classifier_shapes(config)
};

// A forward over whole texts. It has a graph where a weight requires a gradient.
ModelOutput output_of(const LanguageModel& model, const Batch& batch, const WantedOutputs& wanted = {});

// -log p(token | those before it) of the tokens with a loss, one behind the other: (n). As above, a graph.
at::Tensor token_losses(const LanguageModel& model, const Batch& batch);
double mean_loss(const LanguageModel& model, const Batch& batch);  // of them
// KL(p || q) = sum_v p_v log(p_v / q_v) of the next token, p as `before` has it and q as `after` has it: the
// mean over those with a loss.
double mean_divergence(const LanguageModel& before, const LanguageModel& after, const Batch& batch);

// How far a training moved weights: both lists are of the same shapes. |after - before| / |before|, as one
// vector each; the share of the numbers whose value in bf16 is another one.
double relative_change(const std::vector<at::Tensor>& before, const std::vector<at::Tensor>& after);
double changed_in_bf16(const std::vector<at::Tensor>& before, const std::vector<at::Tensor>& after);

// The attention that the later half of the texts' tokens pay to the first token, a mean over them, of the
// head that pays it most: 1 is all. An attention sink has far more than an even share. Xiao et al. 2023,
// arXiv:2309.17453.
double attention_to_first(const LanguageModel& model, const Batch& batch);

// What a head of the first layer compares, in fp64 and turned by their positions: softmax(q k^T / sqrt(D)) is
// its attention. tokens: (T)
struct QueriesAndKeys {
  at::Tensor q, k;  // (T, D)
};
QueriesAndKeys first_queries_and_keys(const LanguageModel& model, const at::Tensor& tokens, int64_t head);

}  // namespace ringside::inline nn
