#include "ringside/planner/tensor_parallel_rows.h"

namespace ringside {
namespace {

constexpr char kForward[] = "activations", kBackward[] = "activation gradients", kNorms[] = "norm gradients";

struct Regions {
  const ClassifierConfig& model;
  const Distribution& distribution;
  const InGroup tp;
  RankRows& rows;
  const Dtype dtype = distribution.precision == Precision::kBFloat16 ? Dtype::kBFloat16 : Dtype::kFloat32;

  int64_t elements(TokenBlock block) const {  // with sequence, T is padded to a multiple of the places
    const int64_t n = distribution.sequence ? tp.size : 1;
    return block.rows * ((block.tokens + n - 1) / n * n) * model.hidden;
  }
  void all_reduces(const char* tag, TokenBlock block, int64_t times) const {
    rows.all_reduce(tag, times, elements(block), dtype, tp);
  }
  void gathers(const char* tag, TokenBlock block, int64_t times) const {
    rows.all_gather(tag, times * elements(block) / tp.size * size_of(dtype), tp);
  }
  void scatters(const char* tag, TokenBlock block, int64_t times) const {
    rows.reduce_scatter(tag, times * elements(block) / tp.size * size_of(dtype), tp);
  }

  // regions: those that are computed, again where they are recomputed.
  void forward(TokenBlock block, int64_t regions) const {
    if (!distribution.sequence) return all_reduces(kForward, block, regions + 1);
    scatters(kForward, block, regions + 1);
    gathers(kForward, block, regions + 1);
  }

  void backward(TokenBlock block) const {
    // Nothing is sent back to a frozen embedding: not by its own sum, nor by a region that reads it as it is.
    const int64_t embedding = model.freeze_embedding ? 0 : 1;
    const int64_t unasked = model.freeze_embedding && model.where == NormPlace::kPost ? 1 : 0;
    const int64_t regions = 2 * model.layers;
    if (!distribution.sequence) return all_reduces(kBackward, block, regions - unasked);
    scatters(kBackward, block, regions - unasked);
    gathers(kBackward, block, regions + embedding);
  }

  // Of the layers' norms, whose parameters are whole at every place.
  void norms(int64_t times) const {
    if (!distribution.sequence) return;
    for (const ParameterShape& shape : classifier_shapes(model)) {
      const bool of_norm = shape.cuts.empty() && shape.unit > 0 && shape.unit < model.units() - 1;
      if (of_norm) rows.all_reduce(kNorms, times, shape.numel(), dtype, tp);
    }
  }
};

}  // namespace

void predict_tensor_parallel(const ClassifierConfig& model, const Distribution& distribution, InGroup tp,
                             const std::vector<TokenBlock>& trained, const std::vector<TokenBlock>& held_out,
                             RankRows& rows) {
  const Regions regions{model, distribution, tp, rows};
  for (const TokenBlock& block : trained) {
    regions.forward(block, (distribution.recompute ? 4 : 2) * model.layers);
    regions.backward(block);
  }
  regions.norms(std::ssize(trained));
  for (const TokenBlock& block : held_out) regions.forward(block, 2 * model.layers);
}

}  // namespace ringside
