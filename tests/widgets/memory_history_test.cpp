// Against a naive replay from the beginning, at random times, while the trace grows.
#include <catch.h>

#include "ringside/base/random.h"
#include "ringside/widgets/memory_history.h"

using namespace ringside;
using ui::MemoryHistory;

namespace {

// Allocates and frees at random, as a rank would: several events at one instant, names that come back.
struct Writer {
  explicit Writer(int rank_count) : ranks(rank_count), recorders(store->add_section("s", {}, rank_count)) {
    live.resize(static_cast<size_t>(rank_count));
    for (auto& rank : live) rank.resize(kCategoryCount);
    total.resize(static_cast<size_t>(rank_count));
  }
  void write(int count) {
    for (int i = 0; i < count; ++i) {
      time += static_cast<int64_t>(random.below(3));
      const auto rank = static_cast<size_t>(random.below(static_cast<uint64_t>(ranks)));
      const auto c = static_cast<size_t>(random.below(kCategoryCount));
      const auto slot = static_cast<int>(random.below(40));
      int64_t& held = live[rank][c][slot];
      const int64_t delta =
          held > 0 && random.below(2) == 0 ? -held : static_cast<int64_t>(1 + random.below(99));
      held += delta;
      sums[{rank, c}] += delta;
      total[rank] += delta;
      MemoryEvent event{.time_ns = time, .delta_bytes = delta, .live_bytes = sums[{rank, c}]};
      event.peak_bytes = peaks[{rank, c}] = std::max(peaks[{rank, c}], sums[{rank, c}]);
      event.total_bytes = total[rank];
      event.unit = store->intern("layer " + std::to_string(slot / 8));
      event.tensor = store->intern("tensor " + std::to_string(slot));
      event.category = kCategories[c];
      recorders[rank]->memory(event);
    }
  }
  SectionView section() const { return store->snapshot().sections().at(0); }

  std::shared_ptr<TraceStore> store = TraceStore::create("test");
  int ranks;
  std::vector<Recorder*> recorders;
  RandomStream random{7, "memory"};
  int64_t time = 1000;
  std::vector<std::vector<std::map<int, int64_t>>> live;
  std::map<std::pair<size_t, size_t>, int64_t> sums, peaks;
  std::vector<int64_t> total;
};

std::vector<MemoryHistory::Held> replay(const SectionView& section, int rank, Category category,
                                        int64_t time) {
  std::vector<MemoryHistory::Held> all;
  for (const MemoryEvent& event : section.memory(rank, category)) {
    if (event.time_ns > time) break;
    const auto same = [&](const auto& h) { return h.unit == event.unit && h.tensor == event.tensor; };
    auto found = std::find_if(all.begin(), all.end(), same);
    if (found == all.end()) found = all.insert(found, {event.unit, event.tensor, 0});
    found->bytes += event.delta_bytes;
  }
  std::erase_if(all, [](const auto& held) { return held.bytes == 0; });
  return all;
}

void compare(MemoryHistory& history, const SectionView& section, int64_t time) {
  for (int rank = 0; rank < section.ranks(); ++rank) {
    int64_t sum = 0;
    for (const Category category : kCategories) {
      const auto expected = replay(section, rank, category, time);
      CHECK(history.at(rank, category, time) == expected);
      int64_t bytes = 0;
      for (const auto& held : expected) bytes += held.bytes;
      CHECK(history.total(rank, category, time) == bytes);
      sum += bytes;
    }
    CHECK(history.total(rank, time) == sum);
  }
}

}  // namespace

TEST_CASE("memory history equals a replay forwards, backwards, at jumps, and while the trace grows") {
  Writer writer(3);
  MemoryHistory history;
  history.update(writer.section());
  CHECK(history.at(2, Category::kGradients, 5000).empty());
  RandomStream random(11, "times");
  for (int grown = 0; grown < 4; ++grown) {
    writer.write(9000);
    const SectionView section = writer.section();
    history.update(section);
    const auto span = static_cast<uint64_t>(writer.time - 990);
    for (int i = 0; i < 12; ++i) compare(history, section, 990 + static_cast<int64_t>(random.below(span)));
    const int64_t middle = 990 + static_cast<int64_t>(random.below(span));
    for (int64_t t = middle; t < middle + 12; ++t) compare(history, section, t);
    for (int64_t t = middle + 12; t > middle; --t) compare(history, section, t);
    compare(history, section, INT64_MAX);
    compare(history, section, INT64_MIN);
  }
}

TEST_CASE("memory history: highest and peaks so far; it starts anew with another section") {
  Writer writer(2);
  writer.write(5000);
  const SectionView section = writer.section();
  MemoryHistory history;
  history.update(section);
  int64_t highest = 0;
  for (int rank = 0; rank < 2; ++rank)
    for (const Category category : kCategories)
      for (const MemoryEvent& event : section.memory(rank, category))
        highest = std::max(highest, event.total_bytes);
  CHECK(history.highest() == highest);
  CHECK(std::max(history.peak(0, INT64_MAX), history.peak(1, INT64_MAX)) == highest);
  CHECK(history.peak(0, 999) == 0);
  const int64_t middle = writer.time / 2;
  CHECK(history.peak(0, Category::kParameters, middle) >= history.total(0, Category::kParameters, middle));
  Writer one(2), two(4);
  one.write(500);
  two.write(700);
  MemoryHistory other;
  other.update(one.section());
  other.update(two.section());
  CHECK(other.ranks() == 4);
  compare(other, two.section(), two.time);
}

TEST_CASE("memory history: a move costs its distance, a jump at most what lies between checkpoints") {
  Writer writer(1);
  writer.write(60000);
  MemoryHistory history;
  history.update(writer.section());
  history.at(0, Category::kParameters, writer.time / 2);
  const uint64_t before = history.events_moved();
  history.at(0, Category::kParameters, writer.time / 2 + 3);
  CHECK(history.events_moved() - before < 16);
  RandomStream random(3, "jumps");
  for (int i = 0; i < 50; ++i) {
    const uint64_t last = history.events_moved();
    history.at(0, Category::kParameters,
               static_cast<int64_t>(random.below(static_cast<uint64_t>(writer.time))));
    CHECK(history.events_moved() - last <= 1024);
  }
}
