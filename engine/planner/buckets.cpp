#include "ringside/planner/buckets.h"

#include "ringside/base/check.h"

namespace ringside {
namespace {

bool must_close(const Bucket& bucket, const ParameterShape& next, const BucketOptions& options) {
  if (bucket.slots.empty()) return false;
  const bool would_overflow = bucket.numel + next.numel() > options.bucket_elements;
  const bool leaves_unit = options.keep_units && bucket.unit != next.unit;
  return options.one_parameter || would_overflow || leaves_unit;
}

// Fills buckets with the parameters of one kind, last parameter first.
void fill(const std::vector<ParameterShape>& shapes, bool trainable, const BucketOptions& options,
          std::vector<Bucket>& buckets) {
  Bucket bucket;
  const auto close = [&] {
    if (bucket.slots.empty()) return;
    const int64_t m = options.multiple_of;
    bucket.padded = (bucket.numel + m - 1) / m * m;
    buckets.push_back(std::move(bucket));
    bucket = {};
  };
  for (int index = static_cast<int>(shapes.size()) - 1; index >= 0; --index) {
    const ParameterShape& shape = shapes[index];
    if (shape.trainable != trainable) continue;
    if (must_close(bucket, shape, options)) close();
    bucket.trainable = trainable;
    bucket.unit = options.keep_units ? shape.unit : -1;
    bucket.slots.push_back({index, bucket.numel, shape.numel()});
    bucket.numel += shape.numel();
  }
  close();
}

}  // namespace

BucketOptions bucket_options(const Distribution& distribution, int ranks) {
  return {.bucket_elements = distribution.bucket_elements,
          .multiple_of = distribution.stage == 0 ? 1 : ranks,
          .keep_units = distribution.stage == 3,
          .one_parameter = distribution.stage == 0 && distribution.naive};
}

std::vector<Bucket> make_buckets(const std::vector<ParameterShape>& shapes, const BucketOptions& options) {
  RINGSIDE_CHECK_GE(options.multiple_of, 1);
  RINGSIDE_CHECK_GE(options.bucket_elements, 1);
  std::vector<Bucket> buckets;
  fill(shapes, true, options, buckets);
  fill(shapes, false, options, buckets);
  return buckets;
}

}  // namespace ringside
