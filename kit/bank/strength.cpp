#include "strength.h"

#include <cmath>
#include <map>

#include "ringside/lesson/tr.h"

namespace ringside::inline kit {
namespace {

// P(Binomial(n, x) >= least).
double binomial_tail(int64_t n, double x, int64_t least) {
  double sum = 0;
  for (int64_t k = least; k <= n; ++k) {
    const auto N = double(n), K = double(k);
    sum += std::exp(std::lgamma(N + 1) - std::lgamma(K + 1) - std::lgamma(N - K + 1) + K * std::log(x) +
                    (N - K) * std::log1p(-x));
  }
  return sum;
}

double beta_quantile(double part, int64_t a, int64_t b) {
  constexpr int kHalvings = 40;
  double low = 0, high = 1;
  for (int i = 0; i < kHalvings; ++i) {
    const double middle = (low + high) / 2;
    (binomial_tail(a + b - 1, middle, a) < part ? low : high) = middle;
  }
  return (low + high) / 2;
}

}  // namespace

ShareInterval beta_interval(int64_t right, int64_t of) {
  return {beta_quantile(0.025, right + 1, of - right + 1), beta_quantile(0.975, right + 1, of - right + 1)};
}

TopicStrength strength_of(std::string topic, int64_t cards, int64_t seen, int64_t right) {
  TopicStrength one{std::move(topic), cards, seen, right, beta_interval(right, seen)};
  if (seen == 0)
    one.standing = Standing::kNotBegun;
  else if (seen < kEnoughAnswers)
    one.standing = Standing::kCannotTell;
  else
    one.standing = one.share.low >= kKnownShare   ? Standing::kStrong
                   : one.share.high < kKnownShare ? Standing::kWeak
                                                  : Standing::kCannotTell;
  return one;
}

std::string TopicStrength::in_words() const {
  if (seen == 0) return tr("not begun");
  if (seen < kEnoughAnswers) return tr("{} of {} right: cannot be told yet", right, seen);
  return tr("{} of {} right: {:.0f} to {:.0f} %", right, seen, 100 * share.low, 100 * share.high);
}

std::vector<TopicStrength> strengths(const std::vector<Card>& cards, const std::vector<ReviewEntry>& log) {
  struct Last {
    int64_t day = -1;
    bool right = false;
  };
  std::map<std::string, Last> last;
  for (const ReviewEntry& entry : log)
    if (Last& one = last[entry.card]; entry.at / kDayMs != one.day)
      one = {entry.at / kDayMs, entry.rating != Rating::kAgain};
  struct Count {
    int64_t cards = 0, seen = 0, right = 0;
  };
  std::map<std::string, Count> counts;
  for (const Card& card : cards) {
    Count& count = counts[card.topic];
    ++count.cards;
    const auto found = last.find(card.id);
    if (found == last.end()) continue;
    ++count.seen;
    count.right += found->second.right;
  }
  std::vector<TopicStrength> list;
  for (const std::string& topic : bank_topics())
    if (const Count& one = counts[topic]; one.cards > 0)
      list.push_back(strength_of(topic, one.cards, one.seen, one.right));
  return list;
}

}  // namespace ringside::inline kit
