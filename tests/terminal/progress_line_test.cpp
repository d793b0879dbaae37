#include "progress_line.h"

#include <sstream>
#include <thread>

#include "catch.h"
#include "check_text.h"

using namespace ringside;

TEST_CASE("Progress says rate and remaining time") {
  CHECK(progress_text({"stage 2", 0, 4000}, 1) == "stage 2   0 of 4,000");
  CHECK(lacks(progress_text({"stage 2", 1000, 4000}, 10),
              {"stage 2   1,000 of 4,000   100.0/s   ", "30", "left"}) == "");
  CHECK(progress_text({"stage 2", 4000, 4000}, 10) == "stage 2   4,000 of 4,000   400.0/s");
  CHECK(progress_text({"stage 2", 5, 10}, 0) == "stage 2   5 of 10");
}

TEST_CASE("A line is drawn over itself and cleared, without escapes") {
  std::ostringstream out;
  {
    ProgressLine line(true, out);
    size_t drawn = 0, after = 0;
    std::chrono::steady_clock::duration between{};
    do {  // until both come within the tenth of a second in which it draws once
      const auto start = std::chrono::steady_clock::now();
      line.draw({"a long phase", 1, 10}, 80);
      drawn = out.str().size();
      line.draw({"a long phase", 2, 10}, 80);
      after = out.str().size();
      between = std::chrono::steady_clock::now() - start;
    } while (between > std::chrono::milliseconds(100));
    CHECK(after == drawn);
    std::this_thread::sleep_for(std::chrono::milliseconds(150));
    line.draw({"b", 3, 10}, 80);
    CHECK(out.str().size() > drawn);
  }
  const std::string text = out.str();
  CHECK(text.find('\033') == std::string::npos);
  CHECK(text.find('\n') == std::string::npos);
  CHECK(text.back() == '\r');
}

TEST_CASE("Nothing is drawn where nobody looks, where nothing is known, or where it would wrap") {
  std::ostringstream out;
  {
    ProgressLine hidden(false, out), unknown(true, out), narrow(true, out);
    hidden.draw({"x", 1, 10}, 80);
    unknown.draw({"", 0, 0}, 80);
    narrow.draw({"x", 1, 10}, 5);
  }
  CHECK(out.str().empty());
}
