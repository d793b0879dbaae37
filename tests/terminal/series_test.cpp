#include "series.h"
#include "catch.h"
#include "check_text.h"
#include "progress_line.h"

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

TEST_CASE("few changes of memory are kept, of many the highest, of one instant the last") {
  const auto all = series_of(memory_trace(200, 100));
  REQUIRE(all.size() == 1);
  CHECK(all[0].name == "stage 2/memory/gradients");
  CHECK(all[0].unit == "bytes");
  CHECK(all[0].x.size() == 200);
  CHECK(all[0].x[0] == 0);
  CHECK(all[0].x[1] == Approx(0.001));
  CHECK(all[0].y[100] == 1000);
  for (const int top : {0, 1, 4999, 9998, 9999}) {
    const auto long_one = series_of(memory_trace(10000, top));
    REQUIRE(long_one.size() == 1);
    CHECK(long_one[0].x.size() == kMemoryPoints);
    CHECK(long_one[0].y.size() == kMemoryPoints);
    CHECK(*std::max_element(long_one[0].y.begin(), long_one[0].y.end()) == 1000);
    CHECK(std::is_sorted(long_one[0].x.begin(), long_one[0].x.end()));
    CHECK(std::count_if(long_one[0].y.begin(), long_one[0].y.end(), [](double y) { return y > 6; }) == 1);
  }
  const auto store = TraceStore::create("demo");
  Recorder* recorder = store->add_section("s", {}, 1)[0];
  for (int i = 0; i < 1000; ++i) {
    MemoryEvent event;
    event.live_bytes = i;
    recorder->memory(event);
  }
  const auto one = series_of(store->snapshot());
  REQUIRE(one.size() == 1);
  CHECK(one[0].y == std::vector<double>{999});
}

TEST_CASE("the time left follows the share that is over, and within a part the seconds that pass") {
  TimeLeft left;
  const auto at = [&](double share, double elapsed_s) {
    return left.seconds({"part", 1, 10, share}, elapsed_s);
  };
  CHECK(!at(0, 1));
  CHECK(!at(0.04, 9));
  CHECK(at(0.25, 10) == Approx(30));
  CHECK(at(0.25, 20) == Approx(20));
  CHECK(at(0.25, 100) == Approx(3));
  CHECK(at(0.5, 100) == Approx(100));
  CHECK(!at(1, 200));
  CHECK(at(0.01, 10) == Approx(990));
  CHECK(TimeLeft().seconds({"of equal steps", 1, 1000}, 2) == Approx(1998));
  CHECK(share_of({"x", 1, 4}) == 0.25);
  CHECK(share_of({"x", 1, 4, 0.5}) == 0.5);
  CHECK(share_of({"x"}) == 0);
}

TEST_CASE("progress says rate and time left; nothing is drawn where nobody looks, or it would wrap") {
  CHECK(progress_text({"stage 2", 0, 4000}, 1, {}) == "stage 2   0 of 4,000");
  CHECK(progress_text({"stage 2", 1000, 4000}, 10, 30) == "stage 2   1,000 of 4,000   100.0/s   30 s left");
  CHECK(time_left(0.2) == "1 s left");
  CHECK(time_left(59.7) == "1 min 00 s left");
  CHECK(progress_text({"stage 2", 4000, 4000}, 10, TimeLeft().seconds({"stage 2", 4000, 4000}, 10)) ==
        "stage 2   4,000 of 4,000   400.0/s");
  CHECK(progress_text({"stage 2", 5, 10}, 0, {}) == "stage 2   5 of 10");
  CHECK(progress_text({"loading", 0, 0}, 1, {}) == "loading");
  CHECK(progress_text({"the last, which is long", 10, 10, 0.25}, 10, 30) ==
        "the last, which is long   10 of 10   30 s left");
  std::ostringstream out;
  {
    ProgressLine hidden(false, out), unknown(true, out), narrow(true, out);
    hidden.draw(Progress{"x", 1, 10}, 80);
    unknown.draw(Progress{"", 0, 0}, 80);
    narrow.draw(Progress{"x", 1, 10}, 5);
  }
  CHECK(out.str().empty());
}

TEST_CASE("A line is drawn over itself and cleared, without escapes") {
  std::ostringstream out;
  {
    ProgressLine line(true, out);
    size_t drawn = 0, after = 0;
    std::chrono::steady_clock::duration between{};
    do {  // until both come within the tenth of a second in which it draws once
      const auto start = std::chrono::steady_clock::now();
      line.draw(Progress{"a long phase", 1, 10}, 80);
      drawn = out.str().size();
      line.draw(Progress{"a long phase", 2, 10}, 80);
      after = out.str().size();
      between = std::chrono::steady_clock::now() - start;
    } while (between > std::chrono::milliseconds(100));
    CHECK(after == drawn);
    std::this_thread::sleep_for(std::chrono::milliseconds(150));
    line.draw(Progress{"b", 3, 10}, 80);
    CHECK(out.str().size() > drawn);
  }
  const std::string text = out.str();
  CHECK(text.find('\033') == std::string::npos);
  CHECK(text.find('\n') == std::string::npos);
  CHECK(text.back() == '\r');
}
