// The trainings that are compared, and what is recorded of each.
#pragma once

#include "ringside/comm/process_group.h"
#include "ringside/lesson/lesson.h"
#include "ringside/lesson/rows.h"

namespace ringside::drift {

inline constexpr char kBase[] = "stage 1", kSame[] = "stage 0", kOrder[] = "stage 2",
                      kBucket[] = "a bucket not reduced", kNorm[] = "the norm of a shard",
                      kStale[] = "a stale gather", kSeed[] = "another seed";
inline constexpr const char* kCurves[] = {kOrder, kBucket, kNorm, kStale};  // that a learner tells apart
inline constexpr char kComparison[] = "comparison", kUlp[] = "ulp";  // section of the rows; its attribute

// One step's loss of a training, and how far it is from the base's.
struct LossRow {
  static constexpr char kTable[] = "losses";
  std::string training;
  int64_t step = 0;
  double loss = 0, difference = 0;
};
void visit_fields(RowOf<LossRow> auto& row, auto&& visit) {
  visit(Field{"training", "which"}, row.training);
  visit(Field{"step", "1 is the first"}, row.step);
  visit(Field{"loss", "mean over the global batch"}, row.loss);
  visit(Field{"difference", "from the base's, of the base's"}, row.difference);
}

// Parameters after a step, as rank 0 has them, against the base's.
struct DistanceRow {
  static constexpr char kTable[] = "distances";
  std::string training;
  int64_t step = 0;
  double relative = 0, differing = 0, ulps = 0;
};
void visit_fields(RowOf<DistanceRow> auto& row, auto&& visit) {
  visit(Field{"training", "which"}, row.training);
  visit(Field{"step", "1 is the first"}, row.step);
  visit(Field{"relative", "length of the difference, of the length of the base's"}, row.relative);
  visit(Field{"differing", "elements that differ", "%"}, row.differing);
  visit(Field{"ulps", "median distance of those", "ulp"}, row.ulps);
}

// What a training is known by once it has ended.
struct EndRow {
  static constexpr char kTable[] = "ends";
  std::string training, letter;
  bool ranks_agree = false;
  int64_t sent = 0, missing = 0, evaluated = 0;
  double accuracy = 0;
};
void visit_fields(RowOf<EndRow> auto& row, auto&& visit) {
  visit(Field{"training", "which"}, row.training);
  visit(Field{"letter", "of its curve, while it has no name"}, row.letter);
  visit(Field{"ranks agree", "all hashed the same parameters"}, row.ranks_agree);
  visit(Field{"sent", "by all ranks", "bytes"}, row.sent);
  visit(Field{"missing", "that were predicted and not sent", "bytes"}, row.missing);
  visit(Field{"evaluated", "held-out samples"}, row.evaluated);
  visit(Field{"accuracy", "held-out"}, row.accuracy);
}

// What a rank's groups are seen through in that training; null: nothing is planted.
using Wrap = std::function<std::unique_ptr<ProcessGroup>(std::unique_ptr<ProcessGroup>)>;
Wrap planted_in(const std::string& training);

// What a curve of parameters looks like, by its first ten steps. An ulp is the format's, of a number from 1.
//   rounding   at most kMostUlps in all of them
//   late       so after step 1, above it after step 2
//   small      above it after step 1, below kLeastLarge
//   large      kLeastLarge or more after step 1
inline constexpr double kMostUlps = 64, kLeastLarge = 1e-3;
enum class Shape : uint8_t { kUnknown, kRounding, kLate, kSmall, kLarge };
Shape shape_of(const Trace& trace, const std::string& training);
std::string in_words(Shape shape);

// None: it has no such row.
std::optional<DistanceRow> distance_at(const Trace& trace, const std::string& training, int64_t step);
std::optional<EndRow> end_of(const Trace& trace, const std::string& training);
std::vector<LossRow> losses_of(const Trace& trace, const std::string& training);
std::vector<DistanceRow> distances_of(const Trace& trace, const std::string& training);

void run(const Config& config, const RunContext& context);
std::string letter_of(const Config& config, const std::string& training);  // "A" to "D", by the seed
std::vector<FigureSpec> figures();
std::vector<PredictionSpec> predictions();

}  // namespace ringside::drift
