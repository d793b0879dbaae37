// Backwards: a log has a number of elements (NumelIn=467019003), and the question is which gradients it is.
//
// Tried are runs of neighbouring gradients, in ready order and in parameter order (reducer.h). A run that
// holds the classification head is solved for the number of classes:
//
//   number = C (H + 1) + rest     with a bias,     C H + rest     without,     1 <= C <= kMostClasses
//
// Arithmetic alone says little: with C free, every rest that leaves a multiple of H + 1 fits. So each hit
// is put to the flush rule: is there a reducer with this bucket size that sends exactly this run? And each
// family of runs says how many hits a number without any meaning would have had (see RunFamily). A model's
// sizes share factors (H is in most of them), so that one true answer has relatives: of 467,019,003 the
// runs with 3,835 and 8,443 classes are the one with 251 whose last matrices became rows of the head.
//
// At the end of a pass in parameter order nothing has to be too large to fit, so with C free the rule
// excludes little there: such a hit is called a coincidence and explains nothing.
//
// Where the head's classes are known, reducers of other settings are tried too (SentOtherwise): two parameter
// groups, and one part per destination rank.
//
// The head is in a run whole or not at all. Only where its classes are given and the bucket size cuts it in
// two are its parts tried as well; with C free a bias alone would explain every number.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "ringside/planner/reducer.h"

namespace ringside::inline planner {

struct ExplainOptions {
  int64_t number = 0;  // elements, 1 to kMostModelParameters
  ModelHead::Kind head = ModelHead::Kind::kClassifier;
  std::optional<int64_t> classes;              // none: solved for
  std::optional<bool> bias;                    // none: with and without
  int64_t bucket_size = kDefaultReduceBucket;  // elements
  bool freeze_vision = false;
};

struct RunHit {
  GradientOrder order = GradientOrder::kBackward;
  std::optional<int64_t> classes;  // of the head in this run; none where it has none, or lm_head
  bool bias = false;               // of that head
  std::vector<BucketPiece> pieces;
  size_t tensors = 0;
  std::string first, last;  // parameters
  std::string next;         // the one behind it; "" at the end
  int64_t next_elements = 0;
  bool flushed = false;      // the rule lets a reducer of bucket_size send exactly this
  bool coincidence = false;  // it does, at the end of parameter order with a free number of classes
  bool is_first = false;     // nothing comes before it
  // Where is_first: the reduce_bucket_size with which it would be the first bucket; most is none without a
  // next.
  std::optional<int64_t> least_size, most_size;
};

// Chance is judged by the density of what a family can take: of all its candidates (a run, and a number of
// classes where that is free), those with a sum within half of the number, divided by how many whole
// numbers lie there. That is the mean number of hits of a number drawn there at random.
struct RunFamily {
  GradientOrder order = GradientOrder::kBackward;
  bool has_head = false, bias = false;
  double candidates = 0;
  int64_t hits = 0, flushed = 0;                   // flushed: of the hits, those the rule allows
  double expected_hits = 0, expected_flushed = 0;  // by chance
};

// A bucket, or a rank's part of one, that a reducer with other settings sends (ReducerOptions).
struct SentOtherwise {
  GradientOrder order = GradientOrder::kBackward;
  int parameter_groups = 1;
  int destinations = 0;  // 0: the whole bucket in one all-reduce
  int rank = 0;          // whose part it is, where there are destinations
  bool bias = false;     // of the head
  int64_t bucket_elements = 0;
  std::vector<BucketPiece> pieces;  // of the bucket
};
inline constexpr int kMostDestinationsTried = 1024;  // powers of two from 2

// Could it be hidden states (B, T, H) of any batch and length?
struct HiddenStates {
  int64_t hidden = 0;               // H
  int64_t rows = 0, remainder = 0;  // number = rows H + remainder
  struct Batch {
    int64_t batch, length;
  };
  std::vector<Batch>
      plausible;  // B T = rows with B <= kMostBatch and T <= kMostLength; empty with a remainder
};
inline constexpr int64_t kMostBatch = 512, kMostLength = 131'072;

struct Explanation {
  int64_t number = 0, bucket_size = 0;
  std::vector<RunHit> hits;  // what the rule allows first; at most kMostHits
  std::vector<RunFamily> families;
  HiddenStates hidden;
  int64_t hit_count = 0;      // of all, listed or not
  int64_t flushed_count = 0;  // of these, what the rule allows
  int64_t coincidences = 0;   // of these, those that explain nothing
  std::vector<SentOtherwise> otherwise;
  bool is_explained() const { return flushed_count > coincidences || !otherwise.empty(); }
};
inline constexpr size_t kMostHits = 1000;

// UsageError for a number, bucket size or number of classes out of range; InputError as model_shapes().
Explanation explain_number(const ModelConfig& config, const ExplainOptions& options);

// The same for any shapes: `body` is everything but the classification head, hidden its width.
Explanation explain_number(const std::vector<ParameterShape>& body, int64_t hidden,
                           const ExplainOptions& options);

// The part of it that tries other settings: none where the number of classes is free.
std::vector<SentOtherwise> sent_otherwise(const std::vector<ParameterShape>& body, int64_t hidden,
                                          const ExplainOptions& options);

}  // namespace ringside::inline planner
