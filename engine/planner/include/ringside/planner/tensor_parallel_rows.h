// What a place of "tp" sends in the classifier's regions (nn/tensor_parallel.h), from sizes alone. E = B T H,
// the activations of one micro-batch, L layers of two regions each:
//
//   forward    1 + 2L all-reduces of E: the embedding, then one behind each region; 2L more with recompute
//   backward   2L all-reduces of E
//   sequence   each all-reduce is a reduce-scatter and an all-gather of E / n, and the head gathers E once;
//              backward adds up the gradients of the layers' norms, an all-reduce each
//   tied head  cut over the vocabulary: backward one all-reduce of E more; with sequence a reduce-scatter,
//              and the last norm is one of the layers'. Its loss: all-reduces of 1 and of 2 numbers in fp32
//              for each of B (T - 1) tokens (nn/cut_softmax.h)
#pragma once

#include <cstdint>
#include <vector>

#include "ringside/planner/classifier_layers.h"
#include "ringside/planner/distribution.h"
#include "ringside/planner/run_rows.h"

namespace ringside::inline planner {

// Of parameters, gradients and activations.
inline Dtype dtype_of(Precision precision) {
  return precision == Precision::kBFloat16 ? Dtype::kBFloat16 : Dtype::kFloat32;
}

struct TokenBlock {
  int64_t rows = 1, tokens = 1;  // B, T
};

// What regions send forward and backward, and so do the stages of a pipeline.
inline constexpr char kActivationsTag[] = "activations", kActivationGradientsTag[] = "activation gradients";
// What the loss of a vocabulary that is cut adds up.
inline constexpr char kSoftmaxMaximaTag[] = "softmax maxima", kSoftmaxSumsTag[] = "softmax sums";

// Activations between regions, which a place of tp keeps: with sequence its own tokens', with padding.
int64_t elements_of_place(TokenBlock block, const ClassifierConfig& model, const Distribution& distribution,
                          InGroup tp);

// stage: of pp, whose units alone count; 0 where the model is on one.
void predict_tensor_parallel(const ClassifierConfig& model, const Distribution& distribution, InGroup tp,
                             int stage, const std::vector<TokenBlock>& trained,
                             const std::vector<TokenBlock>& held_out, RankRows& rows);

}  // namespace ringside::inline planner
