#include "ringside/planner/buckets.h"

#include "ringside/base/check.h"
#include "ringside/planner/run_mesh.h"

namespace ringside::inline planner {
namespace {

bool must_close(const Bucket& bucket, const ParameterShape& next, const Distribution& distribution) {
  if (bucket.slots.empty()) return false;
  const bool would_overflow = bucket.numel + next.numel() > distribution.bucket_elements;
  const bool leaves_unit = distribution.stage == 3 && bucket.unit != next.unit;
  const bool apart = bucket.tied || !next.tied_to.empty();
  return (distribution.stage == 0 && distribution.naive) || would_overflow || leaves_unit || apart;
}

// Fills buckets with the parameters of one kind, last parameter first.
void fill(const std::vector<ParameterShape>& shapes, bool trainable, const Distribution& distribution,
          int ranks, std::vector<Bucket>& buckets) {
  const int64_t m = distribution.stage == 0 ? 1 : shard_ranks(ranks, distribution);  // the shards
  Bucket bucket;
  const auto close = [&] {
    if (bucket.slots.empty()) return;
    bucket.padded = (bucket.numel + m - 1) / m * m;
    buckets.push_back(std::move(bucket));
    bucket = {};
  };
  for (int index = int(shapes.size()) - 1; index >= 0; --index) {
    const ParameterShape& shape = shapes[index];
    if (shape.trainable != trainable) continue;
    if (must_close(bucket, shape, distribution)) close();
    bucket.trainable = trainable;
    bucket.tied = !shape.tied_to.empty();
    bucket.unit = distribution.stage == 3 ? shape.unit : -1;
    bucket.slots.push_back({index, bucket.numel, shape.numel()});
    bucket.numel += shape.numel();
  }
  close();
}

}  // namespace

std::vector<Bucket> make_buckets(const std::vector<ParameterShape>& shapes, const Distribution& distribution,
                                 int ranks) {
  RINGSIDE_CHECK_GE(ranks, 1);
  RINGSIDE_CHECK_EQ(ranks % distribution.replicas, 0);
  RINGSIDE_CHECK_GE(distribution.bucket_elements, 1);
  std::vector<Bucket> buckets;
  fill(shapes, true, distribution, ranks, buckets);
  fill(shapes, false, distribution, ranks, buckets);
  return buckets;
}

}  // namespace ringside::inline planner
