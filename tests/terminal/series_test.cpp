#include "series.h"

#include <algorithm>

#include "catch.h"

using namespace ringside;

namespace {

// One rank with `changes` changes of live gradient bytes, 1 ms apart, highest at `top`.
Trace memory_trace(int changes, int top) {
  const auto store = TraceStore::create("demo");
  Recorder* recorder = store->add_section("stage 2", {}, 1)[0];
  for (int i = 0; i < changes; ++i) {
    MemoryEvent event;
    event.category = Category::kGradients;
    event.time_ns = 5'000'000'000 + int64_t{i} * 1'000'000;
    event.live_bytes = i == top ? 1000 : i % 7;
    recorder->memory(event);
  }
  return store->snapshot();
}

}  // namespace

TEST_CASE("Scalars are kept at every step, a series a name and rank") {
  const auto store = TraceStore::create("demo");
  const auto recorders = store->add_section("stage 2", {}, 2);
  for (int step = 0; step < 500; ++step) {
    recorders[0]->scalar("loss", step, step * 0.5);
    if (step % 2 == 0) recorders[1]->scalar("accuracy", step, 1);
  }
  const auto all = series_of(store->snapshot());
  REQUIRE(all.size() == 2);
  CHECK(all[0].name == "stage 2/loss");
  CHECK(all[0].x.size() == 500);
  CHECK(all[0].y.back() == 249.5);
  CHECK(all[1].name == "stage 2/accuracy");
  CHECK(all[1].rank == 1);
  CHECK(all[1].x[1] == 2);
}

TEST_CASE("Few changes of memory are kept as they are") {
  const auto all = series_of(memory_trace(200, 100));
  REQUIRE(all.size() == 1);
  CHECK(all[0].name == "stage 2/memory/gradients");
  CHECK(all[0].unit == "bytes");
  CHECK(all[0].x.size() == 200);
  CHECK(all[0].x[0] == 0);
  CHECK(all[0].x[1] == Approx(0.001));
  CHECK(all[0].y[100] == 1000);
}

TEST_CASE("Of many, the highest of each stretch is kept: no peak is lost") {
  for (const int top : {0, 1, 4999, 9998, 9999}) {
    const auto all = series_of(memory_trace(10000, top));
    REQUIRE(all.size() == 1);
    CHECK(all[0].x.size() == kMemoryPoints);
    CHECK(all[0].y.size() == kMemoryPoints);
    CHECK(*std::max_element(all[0].y.begin(), all[0].y.end()) == 1000);
    CHECK(std::is_sorted(all[0].x.begin(), all[0].x.end()));
    CHECK(std::count_if(all[0].y.begin(), all[0].y.end(), [](double y) { return y > 6; }) == 1);
  }
}

TEST_CASE("Changes at one instant make one point") {
  const auto store = TraceStore::create("demo");
  Recorder* recorder = store->add_section("s", {}, 1)[0];
  for (int i = 0; i < 1000; ++i) {
    MemoryEvent event;
    event.live_bytes = i;
    recorder->memory(event);
  }
  const auto all = series_of(store->snapshot());
  REQUIRE(all.size() == 1);
  CHECK(all[0].y == std::vector<double>{999});
}
