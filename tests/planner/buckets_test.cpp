#include "ringside/planner/buckets.h"

#include "catch.h"
#include "ringside/base/random.h"

using namespace ringside;

namespace {

std::vector<ParameterShape> random_shapes(RandomStream& random) {
  std::vector<ParameterShape> shapes(1 + random.below(40));
  int unit = 0;
  for (size_t i = 0; i < shapes.size(); ++i) {
    unit += random.below(4) == 0;
    shapes[i].name = std::to_string(i);
    shapes[i].unit = unit;
    shapes[i].shape = {1 + static_cast<int64_t>(random.below(60)), 1 + static_cast<int64_t>(random.below(9))};
    shapes[i].trainable = random.below(5) != 0;
  }
  return shapes;
}

// Every parameter in exactly one place, inside its bucket, without a gap or an overlap.
void check_places(const std::vector<ParameterShape>& shapes, const std::vector<Bucket>& buckets,
                  int64_t multiple) {
  std::vector<int> seen(shapes.size(), 0);
  for (const Bucket& bucket : buckets) {
    REQUIRE_FALSE(bucket.slots.empty());
    int64_t next = 0;
    for (const BucketSlot& slot : bucket.slots) {
      const ParameterShape& shape = shapes[static_cast<size_t>(slot.parameter)];
      ++seen[static_cast<size_t>(slot.parameter)];
      REQUIRE(slot.offset == next);
      REQUIRE(slot.numel == shape.numel());
      REQUIRE(shape.trainable == bucket.trainable);
      next += slot.numel;
    }
    REQUIRE(next == bucket.numel);
    REQUIRE(bucket.padded % multiple == 0);
    REQUIRE(bucket.padding() >= 0);
    REQUIRE(bucket.padding() < multiple);
  }
  for (const int times : seen) REQUIRE(times == 1);
}

// Trainable before frozen, and within each kind the last parameter first.
void check_order(const std::vector<Bucket>& buckets) {
  const BucketSlot* before = nullptr;
  bool trainable = true;
  for (const Bucket& bucket : buckets) {
    if (bucket.trainable != trainable) {
      REQUIRE(trainable);
      trainable = false;
      before = nullptr;
    }
    for (const BucketSlot& slot : bucket.slots) {
      if (before != nullptr) REQUIRE(slot.parameter < before->parameter);
      before = &slot;
    }
  }
}

// A bucket is within the limit unless one parameter alone is larger, and it was
// closed only because the next parameter would not have fitted or is of another unit.
void check_closing(const std::vector<ParameterShape>& shapes, const std::vector<Bucket>& buckets,
                   const Distribution& distribution) {
  const bool keeps_units = distribution.stage == 3;
  for (size_t i = 0; i < buckets.size(); ++i) {
    const Bucket& bucket = buckets[i];
    if (bucket.slots.size() > 1) REQUIRE(bucket.numel <= distribution.bucket_elements);
    for (const BucketSlot& slot : bucket.slots) {
      const int unit = shapes[static_cast<size_t>(slot.parameter)].unit;
      REQUIRE(bucket.unit == (keeps_units ? unit : -1));
    }
    if (i + 1 == buckets.size() || buckets[i + 1].trainable != bucket.trainable) continue;
    const bool full = bucket.numel + buckets[i + 1].slots.front().numel > distribution.bucket_elements;
    const bool other_unit = keeps_units && buckets[i + 1].unit != bucket.unit;
    REQUIRE((full || other_unit));
  }
}

}  // namespace

TEST_CASE("buckets of random shapes hold every parameter once and close by the rule") {
  for (uint64_t seed = 0; seed < 400; ++seed) {
    RandomStream random(seed, "shapes");
    const auto shapes = random_shapes(random);
    Distribution distribution;
    distribution.bucket_elements = 1 + static_cast<int64_t>(random.below(1500));
    distribution.stage = static_cast<int>(random.below(4));
    const int ranks = 1 + static_cast<int>(random.below(8));
    const auto buckets = make_buckets(shapes, distribution, ranks);
    INFO("seed " << seed);
    check_places(shapes, buckets, distribution.stage == 0 ? 1 : ranks);
    check_order(buckets);
    check_closing(shapes, buckets, distribution);
  }
}

TEST_CASE("no parameters, no buckets") { CHECK(make_buckets({}, {}, 1).empty()); }
