#include "ringside/planner/tensor_parallel_rows.h"

#include <algorithm>

namespace ringside::inline planner {
namespace {

constexpr char kNorms[] = "norm gradients";

struct Regions {
  const ClassifierConfig& model;
  const Distribution& distribution;
  const InGroup tp;
  const int stage;
  RankRows& rows;
  const Dtype dtype = dtype_of(distribution.precision);
  const int64_t embeddings = is_here(0) ? 1 : 0, heads = is_here(model.units() - 1) ? 1 : 0;
  const int64_t regions = 2 * layers(), cut_heads = model.tied ? heads : 0;

  bool is_here(int unit) const {
    return model.stage_of_unit.empty() || model.stage_of_unit[size_t(unit)] == stage;
  }
  int64_t layers() const {
    int64_t count = 0;
    for (int unit = 1; unit + 1 < model.units(); ++unit) count += is_here(unit) ? 1 : 0;
    return count;
  }

  void all_reduces(const char* tag, TokenBlock block, int64_t times) const {
    rows.all_reduce(tag, times, elements_of_place(block, model, distribution, tp), dtype, tp);
  }
  int64_t bytes(TokenBlock block) const {
    return elements_of_place(block, model, distribution, tp) * size_of(dtype);
  }
  void gathers(const char* tag, TokenBlock block, int64_t times) const {
    rows.all_gather(tag, times * bytes(block), tp);
  }
  void scatters(const char* tag, TokenBlock block, int64_t times) const {
    rows.reduce_scatter(tag, times * bytes(block), tp);
  }

  // times: once, or again where regions are recomputed.
  void forward(TokenBlock block, int64_t times) const {
    if (!distribution.sequence) return all_reduces(kActivationsTag, block, times * regions + embeddings);
    scatters(kActivationsTag, block, times * regions + embeddings);
    gathers(kActivationsTag, block, times * regions + heads);
  }

  void backward(TokenBlock block) const {
    // Nothing is sent back to a frozen embedding: not by its own sum, nor by a region that reads it as it is.
    const int64_t back = model.freeze_embedding ? 0 : embeddings;
    const int64_t unasked = model.freeze_embedding && model.where == NormPlace::kPost ? embeddings : 0;
    const int64_t asked = regions - unasked + cut_heads;
    if (!distribution.sequence) return all_reduces(kActivationGradientsTag, block, asked);
    scatters(kActivationGradientsTag, block, asked);
    gathers(kActivationGradientsTag, block, regions + back);
  }

  // Of a vocabulary that is cut.
  void loss(TokenBlock block) const {
    if (cut_heads == 0) return;
    const int64_t tokens = block.rows * (block.tokens - 1);
    rows.all_reduce(kSoftmaxMaximaTag, 1, tokens, Dtype::kFloat32, tp);
    rows.all_reduce(kSoftmaxSumsTag, 1, 2 * tokens, Dtype::kFloat32, tp);
  }

  // Of the layers' norms, whose parameters are whole at every place; of the last one where the head is cut.
  void norms(int64_t times) const {
    if (!distribution.sequence) return;
    for (const ParameterShape& shape : classifier_shapes(model)) {
      const auto over_tp = [](const Cut& cut) { return cut.over == kTensorParallel; };
      const bool of_norm = std::ranges::none_of(shape.cuts, over_tp) && shape.unit > 0 &&
                           shape.unit < model.units() - (model.tied ? 0 : 1);
      if (of_norm && is_here(shape.unit)) rows.all_reduce(kNorms, times, shape.numel(), dtype, tp);
    }
  }
};

}  // namespace

int64_t elements_of_place(TokenBlock block, const ClassifierConfig& model, const Distribution& distribution,
                          InGroup tp) {
  const int64_t n = distribution.sequence ? tp.size : 1;
  return block.rows * ((block.tokens + n - 1) / n) * model.hidden;
}

void predict_tensor_parallel(const ClassifierConfig& model, const Distribution& distribution, InGroup tp,
                             int stage, const std::vector<TokenBlock>& trained,
                             const std::vector<TokenBlock>& held_out, RankRows& rows) {
  if (tp.size == 1) return;
  const Regions regions{model, distribution, tp, stage, rows};
  for (const TokenBlock& block : trained) {
    regions.forward(block, distribution.recompute ? 2 : 1);
    regions.backward(block);
    regions.loss(block);
  }
  regions.norms(std::ssize(trained));
  for (const TokenBlock& block : held_out) regions.forward(block, 1), regions.loss(block);
}

}  // namespace ringside::inline planner
