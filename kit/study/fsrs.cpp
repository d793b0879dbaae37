#include "fsrs.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "ringside/base/check.h"

namespace ringside::inline kit {
namespace {

using Phase = CardMemory::Phase;
constexpr double kLeastStability = 0.001;

double grade(Rating rating) { return double(rating) + 1; }
double factor(const FsrsOptions& o) { return std::pow(0.9, -1 / o.w[20]) - 1; }

double first_difficulty(const FsrsOptions& o, Rating rating) {
  return o.w[4] - std::exp(o.w[5] * (grade(rating) - 1)) + 1;
}

double next_difficulty(const FsrsOptions& o, double difficulty, Rating rating) {
  const double damped = -o.w[6] * (grade(rating) - 3) * (10 - difficulty) / 9;
  const double next = o.w[7] * first_difficulty(o, Rating::kEasy) + (1 - o.w[7]) * (difficulty + damped);
  return std::clamp(next, 1.0, 10.0);
}

double within_a_day(const FsrsOptions& o, double stability, Rating rating) {
  double growth = std::exp(o.w[17] * (grade(rating) - 3 + o.w[18])) * std::pow(stability, -o.w[19]);
  if (rating != Rating::kAgain) growth = std::max(growth, 1.0);
  return stability * growth;
}

double recalled(const FsrsOptions& o, const CardMemory& card, double recall, Rating rating) {
  const double by_grade = rating == Rating::kHard ? o.w[15] : rating == Rating::kEasy ? o.w[16] : 1;
  return card.stability * (1 + std::exp(o.w[8]) * (11 - card.difficulty) * std::pow(card.stability, -o.w[9]) *
                                   (std::exp(o.w[10] * (1 - recall)) - 1) * by_grade);
}

double forgotten(const FsrsOptions& o, const CardMemory& card, double recall) {
  const double over_days = o.w[11] * std::pow(card.difficulty, -o.w[12]) *
                           (std::pow(card.stability + 1, o.w[13]) - 1) * std::exp(o.w[14] * (1 - recall));
  return std::min(over_days, card.stability / std::exp(o.w[17] * o.w[18]));
}

// Stability and difficulty behind the review.
void remember(const FsrsOptions& o, CardMemory& card, Rating rating, int64_t at) {
  const double before = card.stability;
  if (card.is_new()) {
    card.stability = o.w[size_t(rating)];
    card.difficulty = std::clamp(first_difficulty(o, rating), 1.0, 10.0);
  } else {
    if (at - card.last < kDayMs)
      card.stability = within_a_day(o, before, rating);
    else if (rating == Rating::kAgain)
      card.stability = forgotten(o, card, recall(o, card, at));
    else
      card.stability = recalled(o, card, recall(o, card, at), rating);
    card.difficulty = next_difficulty(o, card.difficulty, rating);
  }
  card.stability = std::max(card.stability, kLeastStability);
}

double fuzz_of(double days) {
  constexpr double kRanges[][3] = {{2.5, 7, 0.15}, {7, 20, 0.1}, {20, HUGE_VAL, 0.05}};
  double delta = 1;
  for (const auto& [from, to, share] : kRanges) delta += share * std::max(std::min(days, to) - from, 0.0);
  return delta;
}

// In ms, whole days.
int64_t interval(const FsrsOptions& o, double stability, int64_t at, double draw) {
  const auto most = double(o.most_days);
  double days = std::nearbyint(stability / factor(o) * (std::pow(o.retention, -1 / o.w[20]) - 1));
  days = std::min(std::max(days, 1.0), most);
  if (o.fuzz && days >= 2.5) {
    const double delta = fuzz_of(days);
    const double high = std::min(std::nearbyint(days + delta), most);
    const double low = std::min(std::max(2.0, std::nearbyint(days - delta)), high);
    days = std::min(std::nearbyint(draw * (high - low + 1) + low), most);
  }
  if (o.interview > at) {
    const double left = std::floor(double(o.interview - at) / double(kDayMs));
    days = std::min(days, std::max(left, 1.0));
  }
  return int64_t(days) * kDayMs;
}

// The minutes until the next step; none: behind the last, intervals of days follow.
std::optional<int64_t> next_step(const std::vector<int64_t>& steps, int& step, Rating rating) {
  const auto place = size_t(step);
  if (steps.empty() || (place >= steps.size() && rating != Rating::kAgain)) return std::nullopt;
  switch (rating) {
    case Rating::kAgain: step = 0; return steps[0];
    case Rating::kHard:
      if (place > 0) return steps[place];
      return steps.size() == 1 ? steps[0] * 3 / 2 : (steps[0] + steps[1]) / 2;
    case Rating::kGood:
      if (place + 1 == steps.size()) return std::nullopt;
      return steps[size_t(++step)];
    case Rating::kEasy: return std::nullopt;
  }
  throw InvariantError("a rating that is none");
}

}  // namespace

constexpr std::string_view kRatingTexts[] = {"again", "hard", "good", "easy"};
std::span<const std::string_view> texts(Rating) { return kRatingTexts; }

double recall(const FsrsOptions& o, const CardMemory& card, int64_t at_ms) {
  if (card.is_new()) return 0;
  const auto days = double(std::max<int64_t>(0, at_ms - card.last) / kDayMs);
  return std::pow(1 + factor(o) * days / card.stability, -o.w[20]);
}

CardMemory review(const FsrsOptions& o, CardMemory card, Rating rating, int64_t at_ms, double draw) {
  RINGSIDE_CHECK(o.retention >= 0.7 && o.retention <= 0.99, "retention=" << o.retention << ": 0.7 to 0.99");
  RINGSIDE_CHECK(o.most_days >= 1 && draw >= 0 && draw < 1, "an interval of " << o.most_days << " days");
  const bool reviewed = card.phase == Phase::kReview;
  remember(o, card, rating, at_ms);
  std::optional<int64_t> wait;
  if (reviewed && rating == Rating::kAgain) {
    ++card.lapses;
    card.step = 0;
    if (!o.relearning.empty()) wait = o.relearning[0];
    card.phase = wait ? Phase::kRelearning : Phase::kReview;
  } else if (!reviewed) {
    wait = next_step(card.phase == Phase::kLearning ? o.learning : o.relearning, card.step, rating);
  }
  if (!wait) {
    card.phase = Phase::kReview;
    card.step = 0;
  }
  card.due = at_ms + (wait ? *wait : interval(o, card.stability, at_ms, draw));
  card.last = at_ms;
  ++card.reviews;
  return card;
}

}  // namespace ringside::inline kit
