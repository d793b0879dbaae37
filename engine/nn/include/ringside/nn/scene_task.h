// A task by which a grouping block (nn/grouping.h) finds shapes without labels, on generated scenes: a
// circle, a square and a triangle before a background, as side x side tokens of three colours, seen twice
// under lights that fall across them in directions of their own. The block sees one view and says the other
// by few group tokens:
//
//   y_j = sum_i A_ij W_c out_i      A, out: of the grouping block; y_j: token j of the second view
//
// one colour a group. What the second light does cannot be known from the first, so groups should follow the
// shapes.
#pragma once

#include "ringside/nn/grouping.h"
#include "ringside/nn/parameters.h"
#include "ringside/nn/task.h"

namespace ringside::inline nn {

struct Scenes {
  static constexpr int64_t kKinds = 4;  // background, circle, square, triangle
  static constexpr int64_t kColours = 3;
  at::Tensor first, second, colours;        // (count, N, 3), N = side^2: two views; of the kinds alone
  std::vector<std::vector<int64_t>> kinds;  // (count, N)
  int64_t count() const { return std::ssize(kinds); }
  Scenes from(int64_t scene) const;  // that one and those behind it
  // A view is the colours, a light that changes from -light to light across the scene and is the same in all
  // three colours, and noise of deviation 0.1. Scene i is the same whatever the count. UsageError where the
  // side is below 8: shapes would have too few tokens.
  static Scenes draw(int64_t count, int64_t side, double light, uint64_t seed);
};

class SceneGrouper {
 public:
  static constexpr int64_t kWidth = 16;  // D
  explicit SceneGrouper(int64_t groups);
  const Declaration& declared() const { return declared_; }

  struct Said {
    at::Tensor tokens, x;  // of the groups (M, D), of the scenes (B, N, D)
    GroupedTokens grouped;
    at::Tensor second;  // y, (B, N, 3)
  };
  Said say(const Leaves& leaf, const at::Tensor& first,
           const AssignmentRule& rule) const;                          // first: (B, N, 3)
  at::Tensor colours(const Leaves& leaf, const at::Tensor& of) const;  // W_c of: (..., D) -> (..., 3)
  at::Tensor values(const Leaves& leaf, const at::Tensor& x) const;    // W_o W_v x

 private:
  Declaration declared_;
  Parameter embed_, groups_, q_, k_, v_, o_, colour_;
};
// The group of each token's largest weight. weights: (M, N) -> (N)
std::vector<int64_t> groups_of(const at::Tensor& weights);

// What a grouper makes of B scenes.
struct SceneLook {
  SceneGrouper::Said said;
  std::vector<std::vector<int64_t>> groups;  // (B, N), by groups_of()
};

struct SceneSetup {
  int64_t groups = 5;
  double tau = 1;
  bool noise = false, hard = false;  // in training: with Gumbel noise, straight-through
  uint64_t seed = 0;                 // of the noise
};

// A sample's loss is the mean over its tokens of |y_j - second_j|^2. Held out, weights are made 0/1 without
// noise, and a sample counts as correct by the share of its tokens that are (data/class_metrics.h).
class SceneTask final : public Task {
 public:
  SceneTask(const SceneSetup& setup, Scenes scenes, int64_t held_out);  // the last ones are held out
  Declaration declare() const override { return grouper_.declared(); }
  int64_t count(Split split) const override {
    return split == Split::kTrain ? scenes_.count() - held_out_.count() : held_out_.count();
  }
  std::unique_ptr<Model> make(const ModelSite& site) const override;
  Batch batch(Split split, const std::vector<int64_t>& samples, BatchShape at_least) const override;
  at::Tensor loss(ModelOutput& output, const Batch& batch) const override;
  Score score(const ModelOutput& output, const Batch& batch) const override;

  const SceneGrouper& grouper() const { return grouper_; }
  SceneLook look_at_held_out(const Leaves& leaf, const AssignmentRule& rule) const;
  at::Tensor errors_of(const SceneLook& held_out) const;  // (B): mean over the tokens of |y_j - colours_j|^2
  AssignmentRule rule(int64_t scenes, const char* purpose, uint64_t nth) const;  // as it is trained
  AssignmentRule hard() const { return {.tau = setup_.tau, .hard = true}; }

 private:
  const SceneSetup setup_;
  const SceneGrouper grouper_;
  const Scenes scenes_, held_out_;  // all of them, the last ones
};

}  // namespace ringside::inline nn
