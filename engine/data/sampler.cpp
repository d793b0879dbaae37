#include "ringside/data/sampler.h"

#include <algorithm>
#include <numeric>

#include "ringside/base/check.h"
#include "ringside/base/random.h"

namespace ringside {

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
  std::vector<int64_t> samples(static_cast<size_t>(std::min(slice.end - begin, rows)));
  std::iota(samples.begin(), samples.end(), begin);
  return samples;
}

Sampler::Sampler(int64_t samples, int64_t batch, int64_t accumulate, uint64_t seed)
    : samples_(samples), batch_(batch), accumulate_(accumulate), seed_(seed) {
  RINGSIDE_CHECK_GE(samples, 1);
  RINGSIDE_CHECK_GE(batch, 1);
  RINGSIDE_CHECK_GE(accumulate, 1);
}

std::vector<int64_t> Sampler::indices(int64_t step, int64_t micro, int rank, int ranks) {
  RINGSIDE_CHECK_GE(step, 0);
  RINGSIDE_CHECK_GE(micro, 0);
  RINGSIDE_CHECK_LT(micro, accumulate_);
  const int64_t first = (step * accumulate_ + micro) * batch_;  // of this micro-step in the stream
  const Slice slice = rank_slice(batch_, rank, ranks);
  std::vector<int64_t> result;
  for (int64_t position = first + slice.begin; position < first + slice.end; ++position) {
    if (position / samples_ != epoch_) {
      epoch_ = position / samples_;
      order_ = permutation(samples_, RandomStream(seed_, "epoch", static_cast<uint64_t>(epoch_)));
    }
    result.push_back(order_[static_cast<size_t>(position % samples_)]);
  }
  return result;
}

}  // namespace ringside
