#include "ringside/planner/reducer.h"

#include <algorithm>
#include <array>
#include <map>
#include <unordered_map>

#include "ringside/base/check.h"
#include "ringside/planner/ready_order.h"

namespace ringside::inline planner {
namespace {

// The flat buffers of the parameter groups.
struct FlatBuffers {
  int parameter_groups = 1;
  std::array<int64_t, 2> elements{};                           // (group)
  std::unordered_map<std::string_view, int64_t> offsets = {};  // where each gradient begins in its group's

  size_t group_of(const Gradient& gradient) const {
    return parameter_groups == 2 && !gradient.decays ? 1 : 0;
  }
  // Of each rank: an N-th of the buffer, which is padded to a multiple of 2 N.
  int64_t shard(const Gradient& gradient, int64_t ranks) const {
    return (elements[group_of(gradient)] + 2 * ranks - 1) / (2 * ranks) * 2;
  }
};

FlatBuffers flat_buffers(const std::vector<Gradient>& in_order, int parameter_groups) {
  FlatBuffers buffers{parameter_groups};
  buffers.offsets.reserve(in_order.size());
  for (const Gradient& gradient : in_order) {
    int64_t& end = buffers.elements[buffers.group_of(gradient)];
    buffers.offsets[gradient.name] = end;
    end += gradient.elements;
  }
  return buffers;
}

void split_by_destination(BucketPlan& plan, const std::vector<Gradient>& in_order) {
  const FlatBuffers buffers = flat_buffers(in_order, plan.parameter_groups);
  for (ReducedBucket& bucket : plan.buckets) {
    std::map<int, size_t> place;  // of a rank in parts
    for (size_t i = bucket.begin; i < bucket.end; ++i) {
      const Gradient& gradient = plan.gradients[i];
      const int64_t shard = buffers.shard(gradient, plan.destinations),
                    begin = buffers.offsets.at(gradient.name), end = begin + gradient.elements;
      for (int64_t at = begin; at < end;) {
        const int rank = int(at / shard);
        const int64_t border = std::min(end, (rank + 1) * shard);
        const auto [found, is_new] = place.try_emplace(rank, bucket.parts.size());
        if (is_new) bucket.parts.push_back({rank, 0});
        bucket.parts[found->second].elements += border - at;
        at = border;
      }
    }
  }
}

using GroupElements = std::unordered_map<std::string_view, int64_t>;
GroupElements elements_of_groups(const std::vector<Gradient>& gradients) {
  GroupElements all;
  for (const Gradient& gradient : gradients) all[gradient.group] += gradient.elements;
  return all;
}

std::vector<BucketPiece> pieces_between(const std::vector<Gradient>& gradients, const GroupElements& all,
                                        size_t begin, size_t end) {
  std::vector<BucketPiece> pieces;
  for (size_t i = begin; i < end; ++i) {
    if (pieces.empty() || pieces.back().group != gradients[i].group)
      pieces.push_back({gradients[i].group, gradients[i].name});
    else
      pieces.back().parameter.clear();
    pieces.back().elements += gradients[i].elements;
  }
  for (BucketPiece& piece : pieces) piece.whole = piece.elements == all.at(piece.group);
  return pieces;
}

}  // namespace

std::vector<Gradient> gradients_in(GradientOrder order, const std::vector<ParameterShape>& shapes,
                                   int parameter_groups) {
  std::vector<int> indices = ready_order(shapes);
  if (order == GradientOrder::kParameters) std::ranges::sort(indices);
  std::vector<Gradient> gradients;
  for (const int index : indices) {
    const ParameterShape& shape = shapes[size_t(index)];
    gradients.push_back({shape.name, group_of(shape.name), shape.numel(), shape.shape.size() > 1});
  }
  if (order == GradientOrder::kParameters && parameter_groups == 2)
    std::ranges::stable_partition(gradients, &Gradient::decays);
  return gradients;
}

std::vector<size_t> flush_points(const std::vector<Gradient>& gradients, int64_t bucket_size) {
  RINGSIDE_CHECK_GE(bucket_size, 1);
  std::vector<size_t> ends;
  int64_t open = 0;
  for (size_t i = 0; i < gradients.size(); ++i) {
    if (open > 0 && open + gradients[i].elements > bucket_size) {
      ends.push_back(i);
      open = 0;
    }
    open += gradients[i].elements;
  }
  if (open > 0) ends.push_back(gradients.size());
  return ends;
}

std::vector<BucketPiece> pieces_of(const std::vector<Gradient>& gradients, size_t begin, size_t end) {
  return pieces_between(gradients, elements_of_groups(gradients), begin, end);
}

BucketPlan plan_buckets(const std::vector<ParameterShape>& shapes, const ReducerOptions& options) {
  if (options.bucket_size < 1) throw UsageError("bucket-size={}: at least 1", options.bucket_size);
  if (options.parameter_groups < 1 || options.parameter_groups > 2)
    throw UsageError("parameter-groups={}: 1, or 2: with and without weight decay", options.parameter_groups);
  if (options.destinations < 0 || options.destinations > kMostDestinations)
    throw UsageError("destinations={}: 0 to {} ranks", options.destinations, kMostDestinations);
  BucketPlan plan{options};
  plan.parameters = count_parameters(shapes);
  plan.trainable = count_trainable(shapes);
  plan.tensors = shapes.size();
  plan.gradients = gradients_in(options.order, shapes, options.parameter_groups);
  const GroupElements all = elements_of_groups(plan.gradients);
  size_t begin = 0;
  for (const size_t end : flush_points(plan.gradients, options.bucket_size)) {
    ReducedBucket bucket{0, begin, end, pieces_between(plan.gradients, all, begin, end)};
    for (const BucketPiece& piece : bucket.pieces) bucket.elements += piece.elements;
    if (end < plan.gradients.size()) bucket.next = end;
    plan.buckets.push_back(std::move(bucket));
    begin = end;
  }
  if (plan.destinations > 0) split_by_destination(plan, gradients_in(GradientOrder::kParameters, shapes));
  return plan;
}

}  // namespace ringside::inline planner
