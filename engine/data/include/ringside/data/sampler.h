// Which samples a rank sees when: a pure function of (seed, step, rank), so that
// any number of ranks sees the same global order and a resumed run goes on where
// it stopped. Sample i of the stream is entry i % n of the epoch's permutation.
//
// By length: rows of one batch are padded to its longest, so batches of like lengths have less padding.
// Within stretches of kBatchesAlike batches of the permutation samples are sorted by length, cut into
// batches, and those put in a random order; an epoch still has each sample once. Batches that an epoch's end
// cuts stay as drawn.
#pragma once

#include <cstdint>
#include <vector>

namespace ringside::inline data {

inline constexpr int64_t kBatchesAlike = 50;

// Rank r's part [begin, end) of `count` items over `ranks`: contiguous, sizes
// differ by at most one, earlier ranks get the longer ones; may be empty.
struct Slice {
  int64_t begin = 0, end = 0;
  int64_t size() const { return end - begin; }
};
Slice rank_slice(int64_t count, int rank, int ranks);
// Of a rank's slice of `count` samples, those of forward pass `index` of an evaluation in batches of `rows`.
// May be none.
std::vector<int64_t> evaluation_samples(int64_t count, int rank, int ranks, int64_t rows, int64_t index);

// The permutation of one epoch is made once and kept: each rank has a Sampler of its own.
class Sampler {
 public:
  // n samples, `batch` of them a micro-step over all ranks, `accumulate` micro-steps a step. lengths: (n), by
  // which batches are put together, or none.
  Sampler(int64_t samples, int64_t batch, int64_t accumulate, uint64_t seed,
          std::vector<int32_t> lengths = {});
  // The indices that `rank` trains on in micro-step `micro` of `step`; may be empty.
  std::vector<int64_t> indices(int64_t step, int64_t micro, int rank, int ranks);

 private:
  void draw_epoch(int64_t epoch);

  int64_t samples_, batch_, accumulate_;
  uint64_t seed_;
  std::vector<int32_t> lengths_;
  int64_t epoch_ = -1;
  std::vector<int64_t> order_;  // (samples) the permutation of epoch_
};

}  // namespace ringside::inline data
