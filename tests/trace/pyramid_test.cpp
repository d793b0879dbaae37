#include "ringside/trace/pyramid.h"

#include "catch.h"
#include "ringside/base/error.h"
#include "ringside/base/random.h"
#include "ringside/trace/append_only.h"

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

TEST_CASE("every range of a small series, and random ones of a long one, are exact", "[one_thread]") {
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

TEST_CASE("elements keep their place and value, and a range shows those it was made with") {
  AppendOnly<std::string> texts;
  std::vector<const std::string*> places;
  for (int i = 0; i < 1000; ++i) {
    texts.push(std::to_string(i));
    places.push_back(&texts[static_cast<size_t>(i)]);
  }
  REQUIRE(texts.size() == 1000);
  for (size_t i = 0; i < 1000; ++i) {
    CHECK(&texts[i] == places[i]);
    CHECK(texts[i] == std::to_string(i));
  }
  AppendOnly<int> numbers;
  CHECK(EventRange<int>().empty());
  for (int i = 0; i < 130; ++i) numbers.push(i);
  const EventRange<int> range(numbers);
  for (int i = 0; i < 70; ++i) numbers.push(999);
  CHECK(range.size() == 130);
  CHECK(range.back() == 129);
  int expected = 0;
  for (const int number : range) CHECK(number == expected++);
  CHECK(expected == 130);
}

TEST_CASE("readers see whole elements while one thread writes") {
  struct Pair {
    int64_t value, negative;
  };
  constexpr int64_t kCount = 100'000;
  AppendOnly<Pair> pairs;
  std::atomic<int> torn{0};
  std::vector<std::thread> readers;
  for (int r = 0; r < 2; ++r)
    readers.emplace_back([&] {
      for (size_t seen = 0; seen < kCount;) {
        const size_t size = pairs.size();
        for (; seen < size; ++seen)
          if (pairs[seen].value != static_cast<int64_t>(seen) || pairs[seen].negative != -pairs[seen].value)
            ++torn;
        std::this_thread::yield();
      }
    });
  for (int64_t i = 0; i < kCount; ++i) pairs.push({i, -i});
  for (std::thread& reader : readers) reader.join();
  CHECK(torn == 0);
}
