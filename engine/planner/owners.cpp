#include "ringside/planner/owners.h"

#include <algorithm>
#include <numeric>

namespace ringside::inline planner {

ShardPart part_of_shard(const BucketSlot& slot, int64_t shard_elements, int64_t place) {
  const int64_t end_of_slot = slot.offset + slot.numel;
  const int64_t begin = std::clamp(place * shard_elements, slot.offset, end_of_slot);
  const int64_t end = std::clamp((place + 1) * shard_elements, slot.offset, end_of_slot);
  return {begin - slot.offset, end - begin};
}

std::vector<WholeParameter> whole_parameters(const Optimizer& optimizer,
                                             const std::vector<ParameterShape>& shapes,
                                             const std::vector<Bucket>& buckets, int ranks) {
  std::vector<WholeParameter> all;
  for (const Bucket& bucket : buckets) {
    for (const BucketSlot& slot : bucket.slots) {
      const ParameterShape& shape = shapes[static_cast<size_t>(slot.parameter)];
      if (!bucket.trainable || !optimizer.needs_whole(shape.name, shape.shape)) continue;
      all.push_back({slot.parameter, slot.numel, 0, optimizer.spec().whole->work(shape.shape), slot,
                     bucket.padded / ranks});
    }
  }
  std::vector<size_t> by_work(all.size());
  std::iota(by_work.begin(), by_work.end(), size_t{0});
  std::stable_sort(by_work.begin(), by_work.end(),
                   [&](size_t a, size_t b) { return all[a].work > all[b].work; });
  std::vector<double> load(static_cast<size_t>(ranks));
  for (const size_t i : by_work) {
    const auto least = std::min_element(load.begin(), load.end());
    all[i].owner = static_cast<int>(least - load.begin());
    *least += all[i].work;
  }
  return all;
}

}  // namespace ringside::inline planner
