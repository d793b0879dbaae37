#include "ringside/planner/update_plan.h"

#include <algorithm>
#include <numeric>

#include "ringside/collectives/cost.h"
#include "ringside/planner/run_mesh.h"

namespace ringside::inline planner {

UpdatePlan::UpdatePlan(const Distribution& distribution, int ranks, const OptimizerConfig& optimizer,
                       const std::vector<ParameterShape>& shapes)
    : shapes_(shapes),
      buckets_(make_buckets(shapes, distribution, ranks)),
      optimizer_(make_optimizer(optimizer)),
      is_cut_(distribution.stage > 0),
      n_(is_cut_ ? int(shard_ranks(ranks, distribution)) : 1),
      whole_(whole_parameters(optimizer_, shapes, buckets_, n_)) {
  const bool together = optimizer_.spec().granularity == Granularity::kGlobal;
  for (const SumsSpec& round : optimizer_.spec().sums) {
    int64_t& count = sums_.emplace_back();
    for (const ParameterShape& shape : shapes_) {
      if (!shape.trainable) continue;
      const int64_t own = optimizer_.count_sums(round, shape.name, shape.shape);
      count = together ? own : count + own;
    }
  }
}

void UpdatePlan::add_rows(RankRows& rows, int64_t steps) const {
  if (!is_cut_) return;
  if (!sums_.empty())
    *rows.traffic(kUpdateSums, Op::kAllReduce).predicted += steps * sum_bytes_sent(rows.place());
  if (whole_.empty()) return;
  int64_t elements = 0;
  for (const WholeParameter& one : whole_) elements += one.elements;
  const int64_t ideal = 2 * (n_ - 1) * elements * 4 * steps / (int64_t{n_} * n_);
  const int64_t uneven = matrix_elements_sent(rows.place()) * 4 * steps - ideal;
  LedgerRow& row = rows.traffic(kMatrices, Op::kSend);
  *row.predicted += ideal;
  if (uneven != 0) row.reasons.push_back({"uneven owners", uneven});
  rows.traffic(kMatrices, Op::kRecv);  // which is the sender's
}

int64_t UpdatePlan::sum_bytes_sent(int rank) const {
  int64_t bytes = 0;
  for (const int64_t count : sums_)
    bytes += direct::all_reduce({.elements = count, .dtype = Dtype::kFloat64, .size = n_, .rank = rank % n_});
  return bytes;
}

int64_t UpdatePlan::matrix_elements_sent(int rank) const {
  const int place = rank % n_;
  int64_t sent = 0;
  for (const WholeParameter& one : whole_) {
    const int64_t own = one.part(place).count;
    sent += one.owner == place ? one.elements - own : own;
  }
  return sent;
}

int64_t UpdatePlan::bytes_of(const BucketSlot& slot, int64_t elements) const {
  int64_t values = 0;
  for (const StateSpec& state : optimizer_.state())
    if (state.per != Per::kElement) values += state.count(shapes_[size_t(slot.parameter)].shape, elements);
  return 4 * values;
}

int64_t UpdatePlan::state_bytes(std::optional<int> rank) const {
  int64_t bytes = 0;
  for (const Bucket& bucket : buckets_)
    for (const BucketSlot& slot : bucket.slots)
      if (bucket.trainable)
        bytes +=
            bytes_of(slot, rank ? part_of_shard(slot, bucket.padded / n_, *rank % n_).count : slot.numel);
  return bytes;
}

// Ranks with parts of one size keep the same; those between the ends have a whole shard.
int64_t UpdatePlan::state_bytes_of_copy() const {
  int64_t bytes = 0;
  for (const Bucket& bucket : buckets_) {
    const int64_t shard = bucket.padded / n_;
    for (const BucketSlot& slot : bucket.slots) {
      if (!bucket.trainable) continue;
      const int64_t first = slot.offset / shard, last = (slot.offset + slot.numel - 1) / shard;
      bytes += bytes_of(slot, part_of_shard(slot, shard, first).count);
      if (last > first) bytes += bytes_of(slot, part_of_shard(slot, shard, last).count);
      if (last > first + 1) bytes += (last - first - 1) * bytes_of(slot, shard);
    }
  }
  return bytes;
}

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
      const ParameterShape& shape = shapes[size_t(slot.parameter)];
      if (!bucket.trainable || !optimizer.needs_whole(shape.name, shape.shape)) continue;
      all.push_back({slot.parameter, slot.numel, 0, optimizer.spec().whole->work(shape.shape), slot,
                     bucket.padded / ranks});
    }
  }
  std::vector<size_t> by_work(all.size());
  std::iota(by_work.begin(), by_work.end(), size_t{0});
  std::ranges::stable_sort(by_work, std::greater(), [&](size_t i) { return all[i].work; });
  std::vector<double> load(static_cast<size_t>(ranks));
  for (const size_t i : by_work) {
    const auto least = std::ranges::min_element(load);
    all[i].owner = int(least - load.begin());
    *least += all[i].work;
  }
  return all;
}

}  // namespace ringside::inline planner
