// What this engine keeps of one micro-batch between forward and backward, tensor by tensor: what autograd
// saves of the classifier's layers as a language model (nn/layers.h, nn/norm.h, nn/fused.h,
// nn/cut_softmax.h), and what the passes hold (train/stage_passes.h). It walks the declared layers. Beside
// each what the formula of planner/mesh_memory.cpp has for it, so that the two differ by named terms alone.
// notes/plan_mesh.md has the table.
//
// RMS norms before the sub-layers, rotary positions, no dropout, backwards that are not cut in two.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "ringside/planner/parts.h"
#include "ringside/planner/tensor_parallel_rows.h"

namespace ringside::testing {

struct KeptTensor {
  std::string name;
  int64_t bytes = 0;    // as it is kept, of all layers together
  int64_t formula = 0;  // in mesh_memory.cpp: bf16, eager attention and SwiGLU, gathered inputs kept
};

inline constexpr int64_t kFloat = 4, kDouble = 8, kIndex = 8,
                         kHalf = 2;  // bytes; kHalf: of the formula's numbers

class KeptWalk {
 public:
  KeptWalk(const ClassifierConfig& model, const Distribution& distribution, InGroup tp, TokenBlock block)
      : model_(model),
        place_({{kTensorParallel, tp.size, tp.place}}),
        wide_(size_of(dtype_of(distribution.precision))),
        T_(block.tokens),
        sequence_(distribution.sequence && tp.size > 1),
        padded_(sequence_ ? (T_ + tp.size - 1) / tp.size * tp.size : T_),
        B_(block.rows),
        all_(B_ * padded_),
        own_(sequence_ ? all_ / tp.size : all_) {
    layers_.declare(declaration_, model);
  }

  void part(UnitRange units, bool recompute) {
    const int head = model_.units() - 1;
    if (units.begin == 0 && place_[0].size > 1) {
      keep("embedding: row of each token, 0 where another place has it", kIndex * all_, 0);
      keep("embedding: mask of tokens that other places have", all_, 0);
    }
    // In fp32, or fused, it is what the first norm keeps; where layers are computed again, what the first of
    // them keeps.
    if (units.begin > 0 && is_rounded() && !model_.fused && !recompute)
      keep("a part's input, rounded", wide_ * own_ * H_, 0);
    for (int unit = std::max(units.begin, 1); unit < std::min(units.end, head); ++unit) {
      if (recompute)
        keep("a layer's input", wide_ * own_ * H_, kHalf * own_ * H_);
      else
        layer(layers_.decoder[static_cast<size_t>(unit - 1)]);
    }
    if (units.end <= head) return keep("what a part puts out", wide_ * own_ * H_, 0);
    model_.tied&& place_[0].size > 1 ? cut_head() : head_of_one();
  }

  std::vector<KeptTensor> take() { return std::move(kept_); }

 private:
  bool is_rounded() const { return wide_ < kFloat; }

  // Adds to the tensor of that name.
  void keep(const char* name, int64_t bytes, int64_t formula) {
    auto found = std::ranges::find(kept_, name, &KeptTensor::name);
    if (found == kept_.end()) found = kept_.insert(found, KeptTensor{.name = name});
    found->bytes += bytes, found->formula += formula;
  }
  int64_t rows(Parameter parameter) const {  // that are here
    return part_of(declaration_.shapes()[static_cast<size_t>(parameter.index)], place_).shape[0];
  }

  // Of so many tokens: what the norm reads, 1 / root of the mean square of each, and the result before the
  // weight (nn/norm.h, rms_norm).
  void norm(int64_t read, int64_t tokens) {
    if (model_.fused) {
      keep("norms: what they read", wide_ * read * H_, kHalf * own_ * H_);
      return keep("norms: scale of each token, in fp64", kDouble * tokens, 0);
    }
    keep("norms: what they read, in fp32", kFloat * read * H_, kHalf * own_ * H_);
    keep("norms: scale of each token, in fp32", kFloat * tokens, 0);
    keep("norms: result before the weight", wide_ * tokens * H_, 0);
  }

  void layer(const DecoderLayer& layer) {
    norm(own_, own_), norm(own_, own_);
    keep("inputs of products, of all tokens", 2 * wide_ * all_ * H_, 2 * kHalf * all_ * H_);
    attention(layer.attention);
    const int64_t I = rows(layer.mlp.gate.weight);
    if (model_.fused) return keep("gate, up, their product", 3 * wide_ * all_ * I, 3 * kHalf * all_ * I);
    keep("gate, its silu, up, their product", 4 * wide_ * all_ * I, 4 * kHalf * all_ * I);
  }

  void attention(const AttentionLayer& layer) {
    const int64_t D = model_.head_size(), Q = rows(layer.q.weight), K = rows(layer.k.weight);
    const int64_t scores = B_ * Q / D * padded_ * padded_;
    const bool viewed = K == D && (is_rounded() || B_ == 1);  // one head is read where it is, by all
    keep("q, k, v as the scores and the sum read them", wide_ * all_ * (Q + 2 * K),
         kHalf * all_ * (Q + 2 * K));
    if (model_.fused) {
      keep("softmax", wide_ * scores, kHalf * scores);
      return keep("values added up", wide_ * all_ * Q, kHalf * all_ * Q);
    }
    keep("k, v repeated for the heads that share them", viewed ? 0 : 2 * wide_ * all_ * (Q - K), 0);
    keep("q, k before they are turned", 0, kHalf * all_ * (Q + K));
    keep("cos, sin rounded, for q and for k", is_rounded() ? 4 * wide_ * padded_ * D : 0, 0);
    keep("softmax, in fp32", kFloat * scores, is_rounded() ? 0 : kHalf * scores);
    keep("softmax, rounded", is_rounded() ? wide_ * scores : 0, is_rounded() ? kHalf * scores : 0);
    keep("values added up", wide_ * all_ * Q, kHalf * all_ * Q);
  }

  // It reads all tokens and leaves the padding out.
  void head_of_one() {
    const int64_t real = B_ * T_;
    norm(is_rounded() && !model_.fused ? real : all_, real);
    keep("head's input", wide_ * real * H_, kHalf * own_ * H_);
    const int64_t V = rows(layers_.score.weight);
    keep("log-probabilities, in fp32", kFloat * B_ * (T_ - 1) * V, model_.tied ? 10 * real * V : 0);
    loss();
  }

  // nn/cut_softmax.h
  void cut_head() {
    const int64_t V = rows(layers_.score.weight), next = B_ * (T_ - 1);
    norm(own_, own_);
    keep("head's input", wide_ * (padded_ == T_ ? all_ : B_ * T_) * H_, kHalf * own_ * H_);
    keep("probabilities of the rows here, in fp32", kFloat * next * V, 10 * B_ * T_ * V);
    keep("row of each next token, whether it is here, whether it is the first", (kIndex + kFloat + 1) * next,
         0);
    loss();
  }

  void loss() { keep("loss, and how many tokens of each row count", kFloat * (1 + B_), 0); }

  const ClassifierConfig& model_;
  const ModelPlace place_;
  const int64_t wide_;  // bytes of a number, where it is not said otherwise
  const int64_t T_;
  const bool sequence_;
  const int64_t padded_, B_, all_, own_;  // tokens; all_: of a region, own_: between regions
  const int64_t H_ = model_.hidden;
  Declaration declaration_;
  ClassifierLayers layers_;
  std::vector<KeptTensor> kept_;
};

// Of one place of tp: units [begin, end) of the model, a part of a pipeline or all of it.
inline std::vector<KeptTensor> kept_activations(const ClassifierConfig& model,
                                                const Distribution& distribution, InGroup tp, UnitRange units,
                                                TokenBlock block) {
  KeptWalk walk(model, distribution, tp, block);
  walk.part(units, distribution.recompute);
  return walk.take();
}

}  // namespace ringside::testing
