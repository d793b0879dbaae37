// FSRS-6, the scheduler of cards: when a card is asked again, so that it is recalled with a probability that
// one chooses. The equations are those of its reference implementation, py-fsrs 6
// (github.com/open-spaced-repetition/py-fsrs, scheduler.py), with its parameters w[0] to w[20]. Days count
// whole: floor of the time since the last review. G is the rating, 1 to 4.
//
//   recall        R(t) = (1 + F t / S)^-w20,   F = 0.9^(-1/w20) - 1       t days, S stability: R(S) = 0.9
//   interval      I = S / F (r^(-1/w20) - 1) days, to nearest (ties to even), 1 to the most; r retention
//   first review  S = w[G-1],   D = D0(G) = w4 - e^(w5 (G-1)) + 1
//   difficulty    D' = w7 D0(4) + (1 - w7) (D - w6 (G-3) (10 - D) / 9),   1 to 10
//   within a day  S' = S e^(w17 (G-3+w18)) S^-w19,   no less than S where G > 1
//   recalled      S' = S (1 + e^w8 (11 - D) S^-w9 (e^(w10 (1-R)) - 1) h),   h = w15 (hard), 1, w16 (easy)
//   forgotten     S' = min(w11 D^-w12 ((S+1)^w13 - 1) e^(w14 (1-R)), S / e^(w17 w18))
//
// Learning: a new card, or a forgotten one, first goes through steps of minutes. Again goes back to the first
// step; hard repeats it (at the first: the mean of the first two, or 1.5 of the only one); good goes on, and
// behind the last step come intervals; easy goes there at once.
// Fuzz: intervals of 2.5 days and more are drawn from I -+ (1 + 15% of what lies between 2.5 and 7 days, 10%
// to 20, 5% behind), so that cards learned together part.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace ringside::inline kit {

inline constexpr int64_t kDayMs = 24 * 60 * 60 * 1000;
inline constexpr std::array<double, 21> kFsrs6 = {0.212,  1.2931, 2.3065, 8.2956, 6.4133, 0.8334, 3.0194,
                                                  0.001,  1.8722, 0.1666, 0.796,  1.4835, 0.0614, 0.2629,
                                                  1.6483, 0.6014, 1.8729, 0.5425, 0.0912, 0.0658, 0.1542};

enum class Rating : uint8_t { kAgain, kHard, kGood, kEasy };
std::span<const std::string_view> texts(Rating);  // "again", "hard", "good", "easy"

struct FsrsOptions {
  std::array<double, 21> w = kFsrs6;
  double retention = 0.9;                          // 0.7 to 0.99
  std::vector<int64_t> learning{60'000, 600'000};  // steps, ms
  std::vector<int64_t> relearning{600'000};        // ms
  int64_t most_days = 36500;
  bool fuzz = true;
  int64_t interview = 0;  // UTC ms; until then no interval ends behind it. 0: none
};

// What is known of one card. Times in ms since 1970, UTC.
struct CardMemory {
  enum class Phase : uint8_t { kLearning, kReview, kRelearning } phase = Phase::kLearning;
  int step = 0;                          // of the phase's steps
  double stability = 0, difficulty = 0;  // days; 1 to 10
  int64_t due = 0, last = 0;
  int reviews = 0, lapses = 0;  // lapses: forgotten in the phase kReview
  bool is_new() const { return reviews == 0; }
  bool is_leech() const { return lapses >= 8; }
  bool operator==(const CardMemory&) const = default;
};

// The probability that it is recalled then: 0 of a new card.
double recall(const FsrsOptions& options, const CardMemory& card, int64_t at_ms);
// The card behind a review. `draw` in [0, 1) places an interval in its range of fuzz. InvariantError for
// options out of range.
CardMemory review(const FsrsOptions& options, CardMemory card, Rating rating, int64_t at_ms, double draw = 0);

}  // namespace ringside::inline kit
