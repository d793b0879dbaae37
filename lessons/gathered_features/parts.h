// What the lesson records: the gradient of each way to gather, and what two optimizers make of it.
#pragma once

#include "ringside/lesson/lesson_kit.h"

namespace ringside::lessons::gathered_features {

// Sections, the ways to gather; the trainings are "sgd, own rows put back" and the like.
inline constexpr char kOne[] = "one process", kConstants[] = "all rows constants",
                      kPutBack[] = "own rows put back", kScattered[] = "reduce-scatter",
                      kInPlace[] = "loss summed in place", kSummed[] = "loss summed, with backward";
inline constexpr char kSgd[] = "sgd", kAdam[] = "adam";

struct GradientRow {  // of the first step, as the ranks' mean, beside one process's
  static constexpr Columns kTable{"gradients", "way", "ranks", "cosine", "length"};
  std::string way;  // the section
  int64_t ranks = 0;
  double cosine = 0, length = 0;
};
struct TrainedRow {  // parameters after the last step of kPutBack, as of kScattered
  static constexpr Columns kTable{"trained", "optimizer", "ranks", "apart"};
  std::string optimizer;
  int64_t ranks = 0;
  double apart = 0;  // norm of their difference, over what kScattered moved
};

void run(const Config& config, const RunContext& context);
Lesson make_lesson();

}  // namespace ringside::lessons::gathered_features
