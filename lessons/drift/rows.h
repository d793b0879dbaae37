// The trainings that are compared, and what is recorded of each.
#pragma once

#include "ringside/lesson/lesson_kit.h"

namespace ringside::lessons::drift {

inline constexpr char kBase[] = "stage 1", kSame[] = "stage 0", kOrder[] = "stage 2",
                      kBucket[] = "a bucket not reduced", kNorm[] = "the norm of a shard",
                      kStale[] = "a stale gather", kSeed[] = "another seed";
inline constexpr const char* kCurves[] = {kOrder, kBucket, kNorm, kStale};  // that a learner tells apart
inline constexpr char kComparison[] = "comparison", kUlp[] = "ulp";  // section of the rows; its attribute

// One step's loss of a training, mean over the global batch, and how far it is from the base's, of the
// base's.
struct LossRow {
  static constexpr Columns kTable{"losses", "training", "step", "loss", "difference"};
  std::string training;
  int64_t step = 0;  // 1 is the first
  double loss = 0, difference = 0;
};

// Parameters after a step, as rank 0 has them, against the base's: the length of the difference, of the
// length of the base's.
struct DistanceRow {
  static constexpr Columns kTable{"distances", "training", "step", "relative"};
  std::string training;
  int64_t step = 0;
  double relative = 0;
};

// What a training is known by once it has ended.
struct EndRow {
  static constexpr Columns kTable{"ends",      "training", "letter", "ranks agree", "missing [bytes]",
                                  "evaluated", "accuracy", "noise",  "in 10 steps", "most",
                                  "last tenth"};
  std::string training, letter;        // of its curve, while it has no name
  bool ranks_agree = false;            // all hashed the same parameters
  int64_t missing = 0, evaluated = 0;  // bytes that were predicted and not sent; held-out samples
  double accuracy = 0, noise = NAN;    // held-out; twice the standard error of such a share of them
  double in_10_steps = 0, most = 0;    // of the losses' differences, the largest
  double last_tenth = 0;               // and the mean of the last tenth of them
};

// What a curve of parameters looks like, by its first ten steps. An ulp is the format's, of a number from 1.
//   rounding   at most kMostUlps in all of them
//   late       so after step 1, above it after step 2
//   small      above it after step 1, below kLeastLarge
//   large      kLeastLarge or more after step 1
inline constexpr double kMostUlps = 64, kLeastLarge = 1e-3;
enum class Shape : uint8_t { kUnknown, kRounding, kLate, kSmall, kLarge };
Shape shape_of(const Trace& trace, const std::string& training);

// None where the training has not come to that step.
inline auto distance_at(const Trace& trace, const std::string& training, int64_t step) {
  return row_where<DistanceRow>(trace, having(&DistanceRow::training, training, &DistanceRow::step, step));
}

void run(const Config& config, const RunContext& context);
std::string letter_of(const Config& config, const std::string& training);  // "A" to "D", by the seed
Lesson make_lesson();

}  // namespace ringside::lessons::drift
