#include "ringside/trace/pyramid.h"

#include <algorithm>
#include <atomic>
#include <thread>
#include <vector>

#include "catch.h"
#include "ringside/base/error.h"
#include "ringside/base/random.h"

using namespace ringside;

namespace {

std::optional<MinMax> naive_range(const std::vector<double>& values, size_t first, size_t last) {
  if (first >= last) return std::nullopt;
  const auto [low, high] = std::minmax_element(values.begin() + static_cast<std::ptrdiff_t>(first),
                                               values.begin() + static_cast<std::ptrdiff_t>(last));
  return MinMax{*low, *high};
}

bool same(const std::optional<MinMax>& a, const std::optional<MinMax>& b) {
  if (!a || !b) return !a && !b;
  return a->min == b->min && a->max == b->max;
}

std::vector<double> fill(Pyramid& pyramid, size_t count, uint64_t seed) {
  RandomStream stream(seed, "series");
  std::vector<double> values;
  for (size_t i = 0; i < count; ++i) {
    values.push_back(stream.normal());
    pyramid.add(static_cast<int64_t>(i) * 10, values.back());
  }
  return values;
}

}  // namespace

TEST_CASE("every range of every small series is exact") {
  for (size_t count = 0; count <= 140; ++count) {
    Pyramid pyramid;
    const std::vector<double> values = fill(pyramid, count, count);
    size_t wrong = 0;
    for (size_t first = 0; first <= count; ++first)
      for (size_t last = 0; last <= count; ++last)
        wrong += !same(pyramid.range(first, last), naive_range(values, first, last));
    INFO(count << " points");
    CHECK(wrong == 0);
  }
}

TEST_CASE("random ranges of a long series are exact") {
  Pyramid pyramid;
  const std::vector<double> values = fill(pyramid, 50'000, 1);
  RandomStream stream(2, "ranges");
  for (int i = 0; i < 300; ++i) {
    const size_t first = stream.below(values.size() + 1);
    const size_t last = first + stream.below(values.size() + 1 - first);
    CHECK(same(pyramid.range(first, last), naive_range(values, first, last)));
  }
  CHECK(same(pyramid.range(0, values.size()), naive_range(values, 0, values.size())));
  CHECK_THROWS_AS(pyramid.range(0, values.size() + 1), InvariantError);
}

TEST_CASE("times are found by bisection, and never run backwards") {
  Pyramid pyramid;
  for (const int64_t time : {10, 20, 20, 15, 30}) pyramid.add(time, 0);  // 15 counts as 20
  CHECK(pyramid.time(3) == 20);
  CHECK(pyramid.lower_bound(0, 5) == 0);
  CHECK(pyramid.lower_bound(10, 5) == 0);
  CHECK(pyramid.lower_bound(11, 5) == 1);
  CHECK(pyramid.lower_bound(20, 5) == 1);
  CHECK(pyramid.lower_bound(21, 5) == 4);
  CHECK(pyramid.lower_bound(31, 5) == 5);
  CHECK(pyramid.lower_bound(31, 2) == 2);
  CHECK(Pyramid().lower_bound(0, 0) == 0);
}

TEST_CASE("a reader that sees a point finds the nodes above it") {
  constexpr size_t kCount = 40'000;
  Pyramid pyramid;
  std::atomic<int> wrong{0};
  std::thread reader([&] {
    for (size_t size = 0; size < kCount;) {
      size = pyramid.size();
      const auto range = pyramid.range(0, size);  // the values are 1, 2, ... size
      const double highest = static_cast<double>(size);
      if (size > 0 && (range->min != 1 || range->max != highest)) ++wrong;
    }
  });
  for (size_t i = 1; i <= kCount; ++i) pyramid.add(static_cast<int64_t>(i), static_cast<double>(i));
  reader.join();
  CHECK(wrong == 0);
}
