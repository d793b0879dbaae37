// How strong somebody is in a topic, as far as the reviews tell.
//
// Each card that was asked counts once: by its first rating of the last day on which it was asked. What comes
// later on that day is still in one's ear. With r of n right and nothing known before, the share of the
// topic's cards that would be right has the density of Beta(r + 1, n - r + 1); between `low` and `high` lie
// 95 % of it. Whole numbers have a closed form (Abramowitz, Stegun 1964, 26.5.24):
//
//   I_x(a, b) = P(Binomial(a + b - 1, x) >= a)
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "cards.h"
#include "review_log.h"

namespace ringside::inline kit {

struct ShareInterval {
  double low = 0.025, high = 0.975;  // of no answer at all
};
ShareInterval beta_interval(int64_t right, int64_t of);

// Against one line, kKnownShare: a topic whose interval has the line in it cannot be told.
enum class Standing : uint8_t { kNotBegun, kCannotTell, kWeak, kStrong };
inline constexpr std::string_view kStandingTexts[] = {"not begun", "cannot be told", "weak", "strong"};
inline std::span<const std::string_view> texts(Standing) { return kStandingTexts; }
inline constexpr double kKnownShare = 0.7;
inline constexpr int64_t kEnoughAnswers = 5;  // fewer: no interval is shown

struct TopicStrength {
  std::string topic = {};
  int64_t cards = 0, seen = 0, right = 0;  // there are; were asked; were right when they were asked last
  ShareInterval share = {};
  Standing standing = Standing::kNotBegun;
  std::string in_words() const;  // "7 of 9 right: 44 to 93 %", "2 of 3 right: cannot be told yet"
};
TopicStrength strength_of(std::string topic, int64_t cards, int64_t seen, int64_t right);
// Of every topic of these cards, in the order of bank_topics().
std::vector<TopicStrength> strengths(const std::vector<Card>& cards, const std::vector<ReviewEntry>& log);

}  // namespace ringside::inline kit
