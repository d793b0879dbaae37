#include "fsrs.h"

#include <catch.h>

#include <nlohmann/json.hpp>

#include "ringside/base/error.h"
#include "ringside/base/json.h"
#include "ringside/base/read_file.h"

namespace ringside {
namespace {

constexpr int64_t kStart = 1'767'225'600'000;  // 2026-01-01

struct Draws {  // those of fsrs_sequences.py
  int64_t state;
  int64_t below(int64_t bound) { return (state = state * 48271 % 2147483647) % bound; }
};

std::vector<int64_t> drawn_steps(Draws& draws) {
  std::vector<int64_t> steps(static_cast<size_t>(draws.below(4)));
  for (int64_t& step : steps) step = (1 + draws.below(60)) * 60'000;
  return steps;
}

FsrsOptions drawn_options(Draws& draws) {
  FsrsOptions options{.fuzz = false};
  options.retention = static_cast<double>(70 + draws.below(29)) / 100;
  options.learning = drawn_steps(draws);
  options.relearning = drawn_steps(draws);
  options.most_days = draws.below(2) == 0 ? 36500 : 60;
  return options;
}

CardMemory reviewed(const FsrsOptions& options, Draws& draws) {
  CardMemory card;
  int64_t now = kStart;
  for (int64_t left = 3 + draws.below(14); left > 0; --left) {
    const int64_t kind = draws.below(4);
    if (kind >= 2) now = std::max(now, card.due);
    now += 1000 * draws.below(kind == 0 ? 3600 : kind == 1 ? 40 * 86400 : 7200);
    card = review(options, card, static_cast<Rating>(kind == 0 ? draws.below(2) * 2 : draws.below(4)), now);
  }
  return card;
}

TEST_CASE("a thousand random sequences of reviews end as in py-fsrs") {
  const std::string file = std::string(RINGSIDE_STUDY_TESTS) + "/fsrs_sequences.json";
  const Json results = Json::parse(read_file(file, 1 << 20)).at("results");
  REQUIRE(results.size() == 1000);
  for (size_t i = 0; i < results.size(); ++i) {
    CAPTURE(i);
    Draws draws{static_cast<int64_t>(i) + 1};
    draws.below(2);
    const FsrsOptions options = drawn_options(draws);
    const CardMemory card = reviewed(options, draws);
    const double remembered = recall(options, card, card.last + draws.below(100) * kDayMs);
    const Json& expected = results[i];
    REQUIRE(card.stability == Approx(expected[0].get<double>()).epsilon(1e-9));
    REQUIRE(card.difficulty == Approx(expected[1].get<double>()).epsilon(1e-9));
    REQUIRE(remembered == Approx(expected[2].get<double>()).epsilon(1e-9));
    REQUIRE(card.due - kStart == expected[3].get<int64_t>());
    REQUIRE(static_cast<int>(card.phase) + 1 == expected[4].get<int>());
    const bool steps = card.phase != CardMemory::Phase::kReview;
    REQUIRE((steps ? card.step : -1) == expected[5].get<int>());
  }
}

TEST_CASE("no interval ends behind the interview, and behind it there is none") {
  FsrsOptions options{.fuzz = false};
  options.interview = kStart + 9 * kDayMs;
  CardMemory card = review(options, {}, Rating::kEasy, kStart);
  for (int day = 1; day < 9; ++day) {
    CHECK(card.due <= options.interview);
    card = review(options, card, Rating::kEasy, kStart + day * kDayMs);
  }
  CHECK(card.due == kStart + 9 * kDayMs);  // the last day: one day at least
  CHECK(review(options, card, Rating::kEasy, kStart + 10 * kDayMs).due > kStart + 50 * kDayMs);
}

TEST_CASE("fuzz parts cards by a day and a twentieth, and is a function of its draw") {
  const FsrsOptions options;
  const CardMemory low = review(options, {}, Rating::kEasy, kStart, 0);
  const CardMemory high = review(options, {}, Rating::kEasy, kStart, 0.999);
  CHECK(low == review(options, {}, Rating::kEasy, kStart, 0));
  CHECK(low.due == kStart + 6 * kDayMs);  // 8 days: 8 -+ 1.775
  CHECK(high.due == kStart + 11 * kDayMs);
  const FsrsOptions certain{.retention = 1};
  CHECK_THROWS_AS(review(certain, CardMemory(), Rating::kEasy, kStart), InvariantError);
}

TEST_CASE("a card that is forgotten eight times is a leech") {
  const FsrsOptions options{.fuzz = false};
  CardMemory card = review(options, {}, Rating::kEasy, kStart);
  for (int times = 0; times < 8; ++times) {
    CHECK_FALSE(card.is_leech());
    card = review(options, card, Rating::kAgain, card.due);
    CHECK(card.phase == CardMemory::Phase::kRelearning);
    card = review(options, card, Rating::kGood, card.due);
  }
  CHECK(card.is_leech());
}

}  // namespace
}  // namespace ringside
