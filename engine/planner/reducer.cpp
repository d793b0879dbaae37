#include "ringside/planner/reducer.h"

#include <fmt/format.h>

#include <algorithm>

#include "ringside/base/check.h"
#include "ringside/planner/ready_order.h"

namespace ringside {

std::vector<Gradient> gradients_in(GradientOrder order, const std::vector<ParameterShape>& shapes) {
  std::vector<int> indices = ready_order(shapes);
  if (order == GradientOrder::kParameters) std::ranges::sort(indices);
  std::vector<Gradient> gradients;
  for (const int index : indices) {
    const ParameterShape& shape = shapes[static_cast<size_t>(index)];
    gradients.push_back({shape.name, group_of(shape.name), shape.numel()});
  }
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
  std::vector<BucketPiece> pieces;
  for (size_t i = begin; i < end; ++i) {
    if (pieces.empty() || pieces.back().group != gradients[i].group)
      pieces.push_back({gradients[i].group, gradients[i].name});
    else
      pieces.back().parameter.clear();
    pieces.back().elements += gradients[i].elements;
  }
  // A group's gradients are neighbours in both orders, so only the outer two can be cut.
  const auto cuts_group = [&](size_t i) {
    return i > 0 && i < gradients.size() && gradients[i - 1].group == gradients[i].group;
  };
  if (cuts_group(begin)) pieces.front().whole = false;
  if (cuts_group(end)) pieces.back().whole = false;
  return pieces;
}

BucketPlan plan_buckets(const std::vector<ParameterShape>& shapes, const ReducerOptions& options) {
  if (options.bucket_size < 1)
    throw UsageError(fmt::format("bucket-size={}: at least 1", options.bucket_size));
  BucketPlan plan{options};
  plan.parameters = count_parameters(shapes);
  plan.trainable = count_trainable(shapes);
  plan.tensors = shapes.size();
  plan.gradients = gradients_in(options.order, shapes);
  size_t begin = 0;
  for (const size_t end : flush_points(plan.gradients, options.bucket_size)) {
    ReducedBucket bucket{0, begin, end, pieces_of(plan.gradients, begin, end), {}};
    for (const BucketPiece& piece : bucket.pieces) bucket.elements += piece.elements;
    if (end < plan.gradients.size()) bucket.next = end;
    plan.buckets.push_back(std::move(bucket));
    begin = end;
  }
  return plan;
}

}  // namespace ringside
