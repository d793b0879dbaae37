#include "ringside/trace/append_only.h"

#include <atomic>
#include <string>
#include <thread>
#include <vector>

#include "catch.h"

using namespace ringside;

TEST_CASE("elements keep their place and their value") {
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
}

TEST_CASE("a range shows the elements it was made with") {
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
