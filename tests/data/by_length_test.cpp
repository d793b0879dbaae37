#include <algorithm>
#include <numeric>

#include "catch.h"
#include "ringside/base/random.h"
#include "ringside/data/sampler.h"

using namespace ringside;

namespace {

std::vector<int32_t> drawn_lengths(int64_t samples) {
  RandomStream stream(4, "lengths");
  std::vector<int32_t> lengths;
  for (int64_t i = 0; i < samples; ++i) lengths.push_back(static_cast<int32_t>(1 + stream.below(200)));
  return lengths;
}

// Of the tokens of those batches the share that is padding.
double padding_share(Sampler& sampler, const std::vector<int32_t>& lengths, int64_t steps) {
  int64_t real = 0, all = 0;
  for (int64_t step = 0; step < steps; ++step) {
    int64_t longest = 0;
    const std::vector<int64_t> batch = sampler.indices(step, 0, 0, 1);
    for (const int64_t i : batch) {
      real += lengths[static_cast<size_t>(i)];
      longest = std::max<int64_t>(longest, lengths[static_cast<size_t>(i)]);
    }
    all += longest * std::ssize(batch);
  }
  return 1 - static_cast<double>(real) / static_cast<double>(all);
}

}  // namespace

TEST_CASE("batches of like lengths have little padding, and each sample once an epoch") {
  for (const int64_t samples : {5, 64, 1000, 1003}) {
    const std::vector<int32_t> lengths = drawn_lengths(samples);
    Sampler alike(samples, 8, 1, 7, lengths);
    std::vector<int64_t> stream;
    for (int64_t step = 0; 8 * step < 3 * samples; ++step)
      for (const int64_t i : alike.indices(step, 0, 0, 1)) stream.push_back(i);
    for (int64_t epoch = 0; epoch < 3; ++epoch) {
      std::vector<int64_t> seen(stream.begin() + epoch * samples, stream.begin() + (epoch + 1) * samples),
          all(seen);
      std::ranges::sort(seen);
      std::iota(all.begin(), all.end(), 0);
      CHECK(seen == all);
    }
    if (samples < 1000) continue;
    Sampler plain(samples, 8, 1, 7);
    CHECK(padding_share(plain, lengths, 300) > 0.35);
    CHECK(padding_share(alike, lengths, 300) < 0.05);  // in the second and third epoch, too
  }
}

TEST_CASE("batches of like lengths come in an order of the seed, and the same on every path to a step") {
  const std::vector<int32_t> lengths = drawn_lengths(403);
  Sampler one(403, 8, 1, 7, lengths), other(403, 8, 1, 7, lengths), seed(403, 8, 1, 8, lengths);
  CHECK(one.indices(80, 0, 0, 1) == (other.indices(3, 0, 0, 1), other.indices(80, 0, 0, 1)));
  CHECK(one.indices(5, 0, 0, 1) != seed.indices(5, 0, 0, 1));
  std::vector<int32_t> longest;  // of the batches: not sorted
  for (int64_t step = 0; step < 50; ++step)
    longest.push_back(lengths[static_cast<size_t>(one.indices(step, 0, 0, 1).back())]);
  CHECK_FALSE(std::ranges::is_sorted(longest));
}
