// What the run records, the generated scenes, and the model that groups their tokens.
#pragma once

#include "ringside/lesson/lesson_kit.h"
#include "ringside/nn/batch.h"
#include "ringside/nn/grouping.h"
#include "ringside/nn/task.h"

namespace ringside::lessons::grouping {

inline constexpr char kSame[] = "same scores", kDial[] = "temperature", kClusters[] = "k-means",
                      kShapes[] = "shapes";
// How a training assigns tokens to groups; each is a section.
inline constexpr char kSoft[] = "soft", kGumbel[] = "Gumbel", kStraight[] = "straight-through";
inline constexpr const char* kWays[] = {kSoft, kGumbel, kStraight};
inline constexpr char kAttention[] = "attention", kGrouping[] = "grouping";  // two softmaxes of the same scores
inline constexpr char kAccuracy[] = "accuracy";

// The weights of one matrix of scores, (M, N). Matrices are points: "attention, group 1" over the token.
struct SumRow {
  static constexpr Columns kTable{"sums", "way", "of a token, least", "of a token, most", "of a group, least",
                                  "of a group, most", "all", "difference"};
  std::string way;
  double token_least = 0, token_most = 0, group_least = 0, group_most = 0, all = 0;
  double difference = 0;  // of the output from a weighted sum of values, largest
};

// Gradients of the scores of 512 random tokens over 200 draws of noise.
struct DialRow {
  static constexpr Columns kTable{"dial",      "way",  "tau", "entropy", "near 0/1 [%]", "gradient",
                                  "above [%]", "signal", "bias"};
  std::string way;
  double tau = 0, entropy = 0;  // nats, of a token's weights in forward
  double near = 0;              // percent of the tokens whose largest weight before it is made 0/1 passes 0.99
  double gradient = 0;          // median length over tokens and draws
  double above = 0;             // percent of them above 1/1000 of the median at tau = 1
  double signal = 0;            // length of the mean over the deviation; infinite where nothing is drawn
  double bias = 0;              // distance of the mean from the exact gradient, over that one's length
};

// A training after so many steps, on the held-out scenes.
struct TrainedRow {
  static constexpr Columns kTable{"trained", "way", "step", "error", "made 0/1", "accuracy"};
  std::string way;
  int64_t step = 0;
  // Mean square distance from the scenes' colours: as it is trained; with the largest weight made 1.
  double error = 0, hard = 0;
  double accuracy = 0;
};
// The same of the first held-out scene after the last step, whose matrices are points beside it.
struct SceneRow {
  static constexpr Columns kTable{"first scene", "without noise", "made 0/1"};
  double soft = 0, hard = 0;
};

struct ClusterRow {
  static constexpr Columns kTable{"clusters", "accuracy", "largest kind"};
  double accuracy = 0, largest = 0;  // of held-out tokens
};

// Groups of the first held-out scene, a digit a token, named by the kinds that they fit best.
struct PictureRow {
  static constexpr Columns kTable{"pictures", "way", "step", "tokens"};
  std::string way;
  int64_t step = 0;
  std::string tokens;
};

// A circle, a square and a triangle before a background, as side x side tokens of three colours. The second
// view is the same scene under another light.
constexpr int64_t kKinds = 4, kColours = 3;
struct Scenes {
  at::Tensor first, second, colours;        // (count, N, 3); without light and noise
  std::vector<std::vector<int64_t>> kinds;  // (count, N)
  int64_t count() const { return std::ssize(kinds); }
  static Scenes draw(int64_t count, int64_t side, double light, uint64_t seed);
};

// The share of tokens that are right if each group gets the kind that fits best, each kind once; and these
// names.
struct Fit {
  double accuracy = 0;
  std::vector<int64_t> names;  // (groups)
};
Fit fit(const std::vector<int64_t>& groups, const std::vector<int64_t>& kinds);
// Lloyd's algorithm on one scene's tokens, (N, 3) -> (N): the best of ten starts.
std::vector<int64_t> k_means(const at::Tensor& tokens, int64_t k, uint64_t seed);

// Says the second view by few group tokens: token j is the sum over the groups of A_ij times the colour of
// group i. What the second light does cannot be known from the first, so groups should follow the shapes.
struct Grouper {
  static constexpr int64_t kWidth = 16;  // D
  Parameter embed, groups, q, k, v, o, colour;
  using Leaf = std::function<at::Tensor(Parameter)>;
  Declaration declare(int64_t count);
  struct Said {
    at::Tensor tokens, x;  // of the groups (M, D), of the scene (B, N, D)
    GroupedTokens grouped;
    at::Tensor second;  // (B, N, 3)
  };
  Said say(const Leaf& leaf, const at::Tensor& first, const AssignmentRule& rule) const;
  at::Tensor colours(const Leaf& leaf, const at::Tensor& of) const;  // (..., D) -> (..., 3)
  at::Tensor values(const Leaf& leaf, const at::Tensor& x) const;    // W_o W_v x
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
  double correct(const at::Tensor& weights, const Batch& batch) const;            // (B, M, N): sum over scenes
  int64_t groups() const { return groups_; }

 private:
  const Scenes scenes_;
  const std::string way_;
  const int64_t groups_;
  const double tau_;
  const uint64_t seed_;
};

void record_dial(Recorder& pen, uint64_t seed);
void run(const Config& config, const RunContext& context);
Lesson make_lesson();

}  // namespace ringside::lessons::grouping
