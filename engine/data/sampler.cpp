#include "ringside/data/sampler.h"

#include <algorithm>
#include <numeric>

#include "ringside/base/check.h"
#include "ringside/base/random.h"

namespace ringside::inline data {

Slice rank_slice(int64_t count, int rank, int ranks) {
  RINGSIDE_CHECK_GE(count, 0);
  RINGSIDE_CHECK_GE(rank, 0);
  RINGSIDE_CHECK_LT(rank, ranks);
  const int64_t shortest = count / ranks;
  const int64_t longer = count % ranks;  // that many ranks, the first ones, get one more
  const int64_t begin = rank * shortest + std::min<int64_t>(rank, longer);
  return {begin, begin + shortest + (rank < longer ? 1 : 0)};
}

std::vector<int64_t> evaluation_samples(int64_t count, int rank, int ranks, int64_t rows, int64_t index) {
  const Slice slice = rank_slice(count, rank, ranks);
  const int64_t begin = std::min(slice.begin + index * rows, slice.end);
  std::vector<int64_t> samples(size_t(std::min(slice.end - begin, rows)));
  std::iota(samples.begin(), samples.end(), begin);
  return samples;
}

Sampler::Sampler(int64_t samples, int64_t batch, int64_t accumulate, uint64_t seed,
                 std::vector<int32_t> lengths)
    : samples_(samples), batch_(batch), accumulate_(accumulate), seed_(seed), lengths_(std::move(lengths)) {
  RINGSIDE_CHECK(lengths_.empty() || std::ssize(lengths_) == samples, "a length for each sample, or none");
  RINGSIDE_CHECK_GE(samples, 1);
  RINGSIDE_CHECK_GE(batch, 1);
  RINGSIDE_CHECK_GE(accumulate, 1);
}

namespace {

// Sorts `order` from `begin` on in stretches of whole batches, and puts each stretch's batches in a random
// order.
void put_alike_together(std::vector<int64_t>& order, int64_t begin, int64_t batch,
                        const std::vector<int32_t>& lengths, RandomStream stream) {
  const int64_t batches = (std::ssize(order) - begin) / batch;
  for (int64_t first = 0; first < batches; first += kBatchesAlike) {
    const int64_t count = std::min(kBatchesAlike, batches - first);
    const auto from = order.begin() + begin + first * batch;
    std::vector<int64_t> sorted(from, from + count * batch);
    std::ranges::stable_sort(sorted, {}, [&](int64_t i) { return lengths[size_t(i)]; });
    auto to = from;
    for (const int64_t b : permutation(count, RandomStream(stream.next(), "batches")))
      to = std::copy_n(sorted.begin() + b * batch, batch, to);
  }
}

}  // namespace

void Sampler::draw_epoch(int64_t epoch) {
  epoch_ = epoch;
  const auto index = uint64_t(epoch);
  order_ = permutation(samples_, RandomStream(seed_, "epoch", index));
  const int64_t cut = epoch * samples_ % batch_;  // of the batch that the epoch before began
  if (!lengths_.empty())
    put_alike_together(order_, std::min(cut == 0 ? 0 : batch_ - cut, samples_), batch_, lengths_,
                       RandomStream(seed_, "alike", index));
}

std::vector<int64_t> Sampler::indices(int64_t step, int64_t micro, int rank, int ranks) {
  RINGSIDE_CHECK_GE(step, 0);
  RINGSIDE_CHECK_GE(micro, 0);
  RINGSIDE_CHECK_LT(micro, accumulate_);
  const int64_t first = (step * accumulate_ + micro) * batch_;  // of this micro-step in the stream
  const Slice slice = rank_slice(batch_, rank, ranks);
  std::vector<int64_t> result;
  for (int64_t position = first + slice.begin; position < first + slice.end; ++position) {
    if (position / samples_ != epoch_) draw_epoch(position / samples_);
    result.push_back(order_[size_t(position % samples_)]);
  }
  return result;
}

}  // namespace ringside::inline data
