#include "ringside/base/ratio.h"

#include "catch.h"
#include "ringside/base/error.h"
#include "ringside/base/median.h"

using namespace ringside;

namespace {

// Rounds whose ratios are these.
RatioInterval interval_of(const std::vector<double>& ratios) {
  return ratio_interval(ratios, std::vector<double>(ratios.size(), 1.0));
}

// 1, 2, ... n: the interval then says which ranks it took.
RatioInterval of_first(int n) {
  std::vector<double> ratios;
  for (int i = 1; i <= n; ++i) ratios.push_back(i);
  return interval_of(ratios);
}

}  // namespace

TEST_CASE("the median of an even number is a mean; too few rounds give their range and tell nothing") {
  for (int rounds = 1; rounds < kLeastRounds; ++rounds) {
    CAPTURE(rounds);
    const RatioInterval interval = of_first(rounds);
    CHECK(interval.low == 1);
    CHECK(interval.high == rounds);
    CHECK(interval.confidence == 1 - 2 / static_cast<double>(1 << rounds));
    CHECK_FALSE(interval.tells());
    CHECK(side_of(interval, 0.5) == Side::kAround);
    CHECK(side_of(interval, 99) == Side::kAround);
  }
  CHECK(of_first(kLeastRounds).tells());
  CHECK(median({3}) == 3);
  CHECK(median({4, 1}) == 2.5);
  CHECK(median({9, 1, 5}) == 5);
  CHECK(median({4, 1, 3, 100}) == 3.5);
  CHECK(deviation({2, 4, 4, 6}) == Approx(std::sqrt(8.0 / 3)));
  CHECK(std::isnan(deviation({2})));
  CHECK(median({2, 2, 7, 2}) == 2);
  CHECK_THROWS_AS(median({}), InvariantError);
}

TEST_CASE("the interval has the ranks and the confidence of the sign test's tables") {
  struct Row {
    int rounds, rank;
    double confidence;
  };
  for (const auto& [rounds, rank, confidence] : {Row{6, 1, 0.9688},
                                                 {8, 1, 0.9922},
                                                 {9, 2, 0.9609},
                                                 {11, 2, 0.9883},
                                                 {12, 3, 0.9614},
                                                 {20, 6, 0.9586},
                                                 {30, 10, 0.9572},
                                                 {100, 40, 0.9648},
                                                 {5000, 2431, 0.9507}}) {
    CAPTURE(rounds);
    const RatioInterval interval = of_first(rounds);
    CHECK(interval.rounds == rounds);
    CHECK(interval.low == rank);
    CHECK(interval.high == rounds + 1 - rank);
    CHECK(interval.median == 0.5 * (rounds + 1));
    CHECK(interval.confidence == Approx(confidence).margin(6e-4));
    CHECK(interval.confidence >= kEnoughConfidence);
    CHECK(interval.tells());
  }
}

TEST_CASE("ratios are of a round, not of two medians, and their side is that of the whole interval") {
  // The machine slows down by ten while both are measured; each round's ratio is 2 nevertheless.
  std::vector<double> a, b;
  for (int i = 1; i <= 10; ++i) {
    a.push_back(2.0 * i);
    b.push_back(i);
  }
  const RatioInterval interval = ratio_interval(a, b);
  CHECK(interval.median == 2);
  CHECK(interval.low == 2);
  CHECK(interval.high == 2);
  const RatioInterval six = interval_of({1.1, 1.2, 1.3, 1.4, 1.5, 1.6});
  CHECK(side_of(six, 1.0) == Side::kAbove);
  CHECK(side_of(six, 1.1) == Side::kAround);
  CHECK(side_of(six, 1.35) == Side::kAround);
  CHECK(side_of(six, 1.6) == Side::kAround);
  CHECK(side_of(six, 1.7) == Side::kBelow);
}

TEST_CASE("an interval as text; what is no measurement is refused") {
  CHECK(to_text({9, 1.04, 0.96, 1.12, 0.96}) == "1.04 [0.96, 1.12]");
  CHECK(to_text({9, 1.02, 1.0041, 1.03, 0.96}) == "1.020 [1.004, 1.030]");
  CHECK(to_text({9, 12.3, 10, 15, 0.96}) == "12.30 [10.00, 15.00]");
  CHECK(to_text({1, 2, 2, 2, 0}) == "2.00 [2.00, 2.00]");
  CHECK_THROWS_AS(ratio_interval({}, {}), InvariantError);
  CHECK_THROWS_AS(ratio_interval({1, 2}, {1}), InvariantError);
  CHECK_THROWS_AS(ratio_interval({0}, {1}), InvariantError);
  CHECK_THROWS_AS(ratio_interval({1}, {-1}), InvariantError);
  CHECK_THROWS_AS(ratio_interval({std::numeric_limits<double>::quiet_NaN()}, {1}), InvariantError);
}
