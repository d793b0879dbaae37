// The generated scenes, and the model that groups their tokens.
#pragma once

#include "parts.h"
#include "ringside/nn/batch.h"
#include "ringside/nn/grouping.h"
#include "ringside/nn/parameters.h"
#include "ringside/nn/task.h"

namespace ringside::lessons::grouping {

// A circle, a square and a triangle before a background, as side x side tokens of three colours. The second
// view is the same scene under another light.
constexpr int64_t kColours = 3;
struct Scenes {
  at::Tensor first, second, colours;        // (count, N, 3); without light and noise
  std::vector<std::vector<int64_t>> kinds;  // (count, N)
  int64_t count() const { return std::ssize(kinds); }
  static Scenes draw(int64_t count, int64_t side, double light, uint64_t seed);
};

// Lloyd's algorithm on one scene's tokens, (N, 3) -> (N): the best of ten starts.
std::vector<int64_t> k_means(const at::Tensor& tokens, int64_t k, uint64_t seed);

// Says the second view by few group tokens: token j is the sum over the groups of A_ij times the colour of
// group i. What the second light does cannot be known from the first, so groups should follow the shapes.
struct Grouper {
  static constexpr int64_t kWidth = 16;  // D
  Parameter embed, groups, q, k, v, o, colour;
  Declaration declare(int64_t count);
  struct Said {
    at::Tensor tokens, x;  // of the groups (M, D), of the scene (B, N, D)
    GroupedTokens grouped;
    at::Tensor second;  // (B, N, 3)
  };
  Said say(const Leaves& leaf, const at::Tensor& first, const AssignmentRule& rule) const;
  at::Tensor colours(const Leaves& leaf, const at::Tensor& of) const;  // (..., D) -> (..., 3)
  at::Tensor values(const Leaves& leaf, const at::Tensor& x) const;    // W_o W_v x
};

constexpr int64_t kTrained = 64, kHeldOut = 16;  // scenes; those held out stand behind the others
class ShapesTask final : public Task {
 public:
  ShapesTask(const Config& config, Scenes scenes, std::string way);
  Declaration declare() const override { return Grouper().declare(groups_); }
  int64_t count(Split split) const override { return split == Split::kTrain ? kTrained : kHeldOut; }
  std::unique_ptr<Model> make(const ModelSite& site) const override;
  Batch batch(Split split, const std::vector<int64_t>& samples, BatchShape at_least) const override;
  at::Tensor loss(ModelOutput& output, const Batch& batch) const override;
  Score score(const ModelOutput& output, const Batch& batch) const override;
  AssignmentRule rule(at::IntArrayRef shape, const char* purpose, uint64_t nth) const;  // as it is trained
  AssignmentRule hard() const { return {.tau = tau_, .hard = true}; }                   // as it is used
  // Of the scenes in the batch: (B, N, 3)
  at::Tensor view(const Batch& batch, at::Tensor Scenes::*which) const {
    return (scenes_.*which).index_select(0, batch.tokens.flatten());
  }
  at::Tensor loss(const at::Tensor& second, const Batch& batch, at::Tensor Scenes::*from) const;  // -> ()
  double correct(const at::Tensor& weights, const Batch& batch) const;  // (B, M, N): sum over scenes
  int64_t groups() const { return groups_; }

 private:
  const Scenes scenes_;
  const std::string way_;
  const int64_t groups_;
  const double tau_;
  const uint64_t seed_;
};

void record_matrix(Recorder& pen, const std::string& of, const at::Tensor& matrix);  // a line a row
void record_dial(Recorder& pen, uint64_t seed);

}  // namespace ringside::lessons::grouping
