// What the run records. Without LibTorch.
#pragma once

#include "ringside/lesson/lesson_kit.h"

namespace ringside::lessons::grouping {

inline constexpr char kSame[] = "same scores", kDial[] = "temperature", kClusters[] = "k-means",
                      kShapes[] = "shapes";
// How a training assigns tokens to groups; each is a section.
inline constexpr char kSoft[] = "soft", kGumbel[] = "Gumbel", kStraight[] = "straight-through";
inline constexpr const char* kWays[] = {kSoft, kGumbel, kStraight};
inline constexpr char kAttention[] = "attention", kGrouping[] = "grouping";  // softmaxes of the same scores

// The weights of one matrix of scores, (M, N). Matrices are points: "attention, group 1" over the token.
struct SumRow {
  static constexpr Columns kTable{
      "sums", "way",       "of a token, least", "of a token, most", "of a group, least", "of a group, most",
      "all",  "difference"};
  std::string way;
  double token_least = 0, token_most = 0, group_least = 0, group_most = 0, all = 0;
  double difference = 0;  // of the output from a weighted sum of values, largest
};

// Gradients of the scores of 512 random tokens over 200 draws of noise.
struct DialRow {
  static constexpr Columns kTable{"dial",     "way",       "tau",    "entropy", "near 0/1 [%]",
                                  "gradient", "above [%]", "signal", "bias"};
  std::string way;
  double tau = 0, entropy = 0;  // nats, of a token's weights in forward
  double near = 0;      // percent of the tokens whose largest weight before it is made 0/1 passes 0.99
  double gradient = 0;  // median length over tokens and draws
  double above = 0;     // percent of them above 1/1000 of the median at tau = 1
  double signal = 0;    // length of the mean over the deviation; 0 where nothing is drawn
  double bias = 0;      // distance of the mean from the exact gradient, over that one's length
};

// A training after so many steps, on the held-out scenes.
struct TrainedRow {
  static constexpr Columns kTable{"trained", "way", "step", "error", "made 0/1", "accuracy [%]"};
  std::string way;
  int64_t step = 0;
  double error = 0, hard = 0;  // mean square distance from the scenes' colours; with 0/1 weights
  double accuracy = 0;         // percent of the tokens
  double times_made_hard() const { return hard / error; }
};
// The same of the shown scene after the last step, whose matrices are points beside it.
struct SceneRow {
  static constexpr Columns kTable{"shown scene", "tau", "without noise", "made 0/1"};
  double tau = 0, soft = 0, hard = 0;
};

struct ClusterRow {
  static constexpr Columns kTable{"clusters", "accuracy [%]", "largest kind [%]"};
  double accuracy = 0, largest = 0;  // of held-out tokens; of those if all are of one group
};

// Groups of one held-out scene, a digit a token, named by the kinds that they fit best.
struct PictureRow {
  static constexpr Columns kTable{"pictures", "way", "step", "tokens"};
  std::string way;
  int64_t step = 0;
  std::string tokens;
};

void run(const Config& config, const RunContext& context);
Lesson make_lesson();

}  // namespace ringside::lessons::grouping
