#include "ringside/lesson/claim_forms.h"

#include <limits>

#include "catch.h"

using namespace ringside;

namespace {

constexpr double kNoEnd = std::numeric_limits<double>::infinity();

RatioInterval nine(double low, double median, double high) { return {9, median, low, high, 0.96}; }

Verdict verdict(const RatioInterval& ratio, double least, double most) {
  return judge_ratio(ratio, least, most, "").verdict;
}

}  // namespace

TEST_CASE("a ratio above an end holds, below it fails, across it cannot be told") {
  CHECK(verdict(nine(1.02, 1.1, 1.2), 1, kNoEnd) == Verdict::kHolds);
  CHECK(verdict(nine(0.8, 0.9, 0.98), 1, kNoEnd) == Verdict::kFails);
  CHECK(verdict(nine(0.96, 1.04, 1.12), 1, kNoEnd) == Verdict::kNotTestable);
}

TEST_CASE("a range holds what lies in it, and fails what lies outside on either side") {
  CHECK(verdict(nine(0.62, 0.7, 0.78), 0.6, 0.8) == Verdict::kHolds);
  CHECK(verdict(nine(0.9, 1.0, 1.1), 0.6, 0.8) == Verdict::kFails);
  CHECK(verdict(nine(0.1, 0.2, 0.3), 0.6, 0.8) == Verdict::kFails);
  CHECK(verdict(nine(0.7, 0.78, 0.85), 0.6, 0.8) == Verdict::kNotTestable);
  CHECK(verdict(nine(0.5, 0.7, 0.9), 0.6, 0.8) == Verdict::kNotTestable);
}

TEST_CASE("the evidence has the interval, and says why it cannot be told") {
  CHECK(judge_ratio(nine(1.02, 1.1, 1.2), 1, kNoEnd, "times as long").evidence ==
        "1.10 [1.02, 1.20] times as long, 9 rounds in turns");
  CHECK(judge_ratio(nine(0.96, 1.04, 1.12), 1, kNoEnd, "times as long").evidence ==
        "cannot be told here: 1.04 [0.96, 1.12] times as long, 9 rounds in turns");
  const RatioInterval two{2, 3, 2.5, 3.5, 0.5};
  CHECK(judge_ratio(two, 1, kNoEnd, "times as long").verdict == Verdict::kNotTestable);
  CHECK(judge_ratio(two, 1, kNoEnd, "times as long").evidence ==
        "cannot be told here: 3.00 [2.50, 3.50] times as long, 2 rounds in turns, too few to tell");
}
