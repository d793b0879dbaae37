#include "ringside/data/sampler.h"

#include <time.h>

#include <algorithm>
#include <numeric>

#include "catch.h"
#include "ringside/base/error.h"

namespace ringside {
namespace {

// What all ranks together see in a micro-step, in rank order.
std::vector<int64_t> global_indices(Sampler& sampler, int64_t step, int64_t micro, int ranks) {
  std::vector<int64_t> all;
  for (int rank = 0; rank < ranks; ++rank) {
    const std::vector<int64_t> own = sampler.indices(step, micro, rank, ranks);
    all.insert(all.end(), own.begin(), own.end());
  }
  return all;
}

// The first `count` samples of the stream as one rank sees it.
std::vector<int64_t> stream_of(Sampler sampler, int64_t accumulate, int64_t count) {
  std::vector<int64_t> stream;
  for (int64_t k = 0; static_cast<int64_t>(stream.size()) < count; ++k) {
    const std::vector<int64_t> micro = sampler.indices(k / accumulate, k % accumulate, 0, 1);
    stream.insert(stream.end(), micro.begin(), micro.end());
  }
  stream.resize(static_cast<size_t>(count));
  return stream;
}

double cpu_seconds() {  // of this thread
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

std::vector<int64_t> first_integers(int64_t count) {
  std::vector<int64_t> values(static_cast<size_t>(count));
  std::iota(values.begin(), values.end(), 0);
  return values;
}

}  // namespace

TEST_CASE("rank_slice tiles the items, longer parts first", "[data]") {
  for (const int64_t count : {0, 1, 2, 7, 8, 101}) {
    for (int ranks = 1; ranks <= 9; ++ranks) {
      int64_t end = 0;
      int64_t previous = count;
      for (int rank = 0; rank < ranks; ++rank) {
        const Slice slice = rank_slice(count, rank, ranks);
        CHECK(slice.begin == end);
        CHECK(slice.size() <= previous);
        CHECK(slice.size() >= count / ranks);
        CHECK(slice.size() <= count / ranks + 1);
        previous = slice.size();
        end = slice.end;
      }
      CHECK(end == count);
    }
  }
  CHECK_THROWS_AS(rank_slice(8, 2, 2), InvariantError);
  CHECK_THROWS_AS(rank_slice(8, -1, 2), InvariantError);
}

TEST_CASE("any number of ranks sees the same global order", "[data]") {
  for (const int64_t batch : {3, 8, 16}) {
    Sampler sampler(37, batch, 2, 7);
    for (int64_t k = 0; k < 12; ++k) {
      const std::vector<int64_t> alone = sampler.indices(k / 2, k % 2, 0, 1);
      REQUIRE(static_cast<int64_t>(alone.size()) == batch);
      for (int ranks = 2; ranks <= 8; ++ranks) CHECK(global_indices(sampler, k / 2, k % 2, ranks) == alone);
    }
  }
}

TEST_CASE("each sample comes exactly once an epoch", "[data]") {
  for (const int64_t samples : {1, 5, 16, 37}) {  // smaller than, equal to and larger than the batch
    Sampler sampler(samples, 16, 3, 7);
    const std::vector<int64_t> stream = stream_of(sampler, 3, 4 * samples);
    for (int64_t epoch = 0; epoch < 4; ++epoch) {
      const auto begin = stream.begin() + epoch * samples;
      std::vector<int64_t> seen(begin, begin + samples);
      std::sort(seen.begin(), seen.end());
      CHECK(seen == first_integers(samples));
    }
  }
}

TEST_CASE("the order depends on the seed and the epoch, not on the accumulation", "[data]") {
  const std::vector<int64_t> stream = stream_of(Sampler(64, 16, 1, 7), 1, 128);
  CHECK(stream == stream_of(Sampler(64, 16, 1, 7), 1, 128));
  CHECK(stream == stream_of(Sampler(64, 16, 4, 7), 4, 128));
  CHECK(stream != stream_of(Sampler(64, 16, 1, 8), 1, 128));
  CHECK(std::vector<int64_t>(stream.begin(), stream.begin() + 64) !=
        std::vector<int64_t>(stream.begin() + 64, stream.end()));
}

TEST_CASE("an epoch's permutation is made once", "[data]") {
  Sampler sampler(1'000'000, 4, 1, 7);
  const double start = cpu_seconds();
  sampler.indices(0, 0, 0, 1);
  const double first = cpu_seconds() - start;
  for (int64_t step = 1; step <= 40; ++step) sampler.indices(step, 0, 0, 1);
  CHECK(cpu_seconds() - start < 2 * first);
}

TEST_CASE("epochs that are asked for in any order have their own permutations", "[data]") {
  Sampler sampler(10, 4, 1, 7);  // step 2 has the end of the first epoch and the begin of the second
  std::vector<std::vector<int64_t>> forward, backward;
  for (int64_t step = 0; step < 6; ++step) forward.push_back(sampler.indices(step, 0, 0, 1));
  for (int64_t step = 5; step >= 0; --step) backward.push_back(sampler.indices(step, 0, 0, 1));
  CHECK(std::equal(forward.begin(), forward.end(), backward.rbegin(), backward.rend()));
}

TEST_CASE("a rank without a part of the batch gets nothing", "[data]") {
  Sampler sampler(10, 2, 1, 7);
  CHECK(sampler.indices(0, 0, 1, 4).size() == 1);
  CHECK(sampler.indices(0, 0, 3, 4).empty());
  CHECK_THROWS_AS(Sampler(0, 2, 1, 7), InvariantError);
  CHECK_THROWS_AS(sampler.indices(0, 1, 0, 1), InvariantError);
}

}  // namespace ringside
