// Which gradients a ZeRO-1/2 reducer sends together: the buckets that it flushes in one backward pass.
//
// The rule is DeepSpeed's (runtime/zero/stage_1_and_2.py; read at 0.16.5, with ZeRO-2, or ZeRO-1 with
// overlap_comm): a gradient that would lift the open bucket above reduce_bucket_size flushes it first, and
// only then enters:
//
//   if (open + numel > size) flush();     strictly above, tested before adding
//   open += numel;
//   ... and at the end of the pass flush() what is left
//
// A gradient larger than the size is DeepSpeed's "extra large" one. It finds the bucket before it flushed
// (a bucket without gradients sends nothing), is not copied into the shared buffer, and stays alone, since
// whatever comes next is above the size too: one bucket of its own elements.
//
// An optimizer usually has two parameter groups: matrices, and what has no weight decay (biases and norms:
// all of one dimension). A reducer that walks through the parameters after the pass walks through the first
// group, then through the second; gradients that become ready in backward do not care.
//
// With use_multi_rank_bucket_allreduce=false a bucket is not one all-reduce: each rank is sent the part that
// lies in its shard. A shard is an N-th of a group's flat buffer, which has the parameters in their order and
// is padded to a multiple of 2 N elements.
//
// What this does not model: where a gradient larger than the size crosses the border between the shards of
// two ranks, the default use_multi_rank_bucket_allreduce sends it as several all-reduces, cutting at shard
// borders each time more than the size has been collected; mixture-of-experts groups; gradients of several
// dtypes, for which newer versions keep a bucket each; a pass in which a part of the model is not used.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ringside/base/field.h"
#include "ringside/planner/model_shapes.h"

namespace ringside::inline planner {

inline constexpr int64_t kDefaultReduceBucket = 500'000'000;  // DeepSpeed's reduce_bucket_size, elements

// kBackward: as gradients become ready (ready_order.h). kParameters: as the parameters are constructed,
// which is how a reducer without hooks would walk through them after the pass.
enum class GradientOrder : uint8_t { kBackward, kParameters };
inline constexpr std::string_view kGradientOrderTexts[] = {"backward", "parameters"};
inline std::span<const std::string_view> texts(GradientOrder) { return kGradientOrderTexts; }

struct Gradient {
  std::string name;   // of its parameter
  std::string group;  // "head", "final norm", "layer 27", "vision", "embedding"
  int64_t elements = 0;
  bool decays = true;  // more than one dimension
};

// Neighbours of one group, as a person adds them up: "layer 27", 233,057,792.
struct BucketPiece {
  std::string group;
  std::string parameter;  // where it is one gradient alone; else ""
  int64_t elements = 0;
  bool whole = true;  // all gradients of the group are in this piece
};

// What one rank is sent of a bucket.
struct DestinationPart {
  int rank = 0;
  int64_t elements = 0;
};

struct ReducedBucket {
  int64_t elements = 0;
  size_t begin = 0, end = 0;             // into BucketPlan::gradients
  std::vector<BucketPiece> pieces;       // in order
  std::optional<size_t> next{};          // the gradient that did not fit; none for the last bucket
  std::vector<DestinationPart> parts{};  // where there are destinations: in the order in which they are sent
};

struct ReducerOptions {
  int64_t bucket_size = kDefaultReduceBucket;  // reduce_bucket_size, elements
  GradientOrder order = GradientOrder::kBackward;
  int parameter_groups = 1;  // of the optimizer: 1 or 2
  int destinations = 0;      // N ranks with use_multi_rank_bucket_allreduce=false; 0: one all-reduce a bucket
};
inline constexpr int kMostDestinations = 1 << 20;

struct BucketPlan : ReducerOptions {
  int64_t parameters = 0;             // elements, frozen ones too
  int64_t trainable = 0;              // elements
  size_t tensors = 0;                 // named parameters, frozen ones too
  std::vector<Gradient> gradients{};  // trainable only, in order
  std::vector<ReducedBucket> buckets{};
};

std::vector<Gradient> gradients_in(GradientOrder order, const std::vector<ParameterShape>& shapes,
                                   int parameter_groups = 1);

// The rule alone: where each bucket ends. InvariantError for a bucket size below 1.
std::vector<size_t> flush_points(const std::vector<Gradient>& gradients, int64_t bucket_size);

// UsageError for an option out of range.
BucketPlan plan_buckets(const std::vector<ParameterShape>& shapes, const ReducerOptions& options);

// Neighbours begin..end-1, of which there is one at least, by group.
std::vector<BucketPiece> pieces_of(const std::vector<Gradient>& gradients, size_t begin, size_t end);

}  // namespace ringside::inline planner
