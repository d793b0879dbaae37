#include "ringside/base/ratio.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "ringside/base/check.h"
#include "ringside/base/median.h"

namespace ringside::inline base {
namespace {

constexpr size_t kMostRounds = 10'000;  // 2^-n is a number still

struct Rank {
  size_t k;           // the interval is from the k-th lowest to the k-th highest
  double confidence;  // 1 - 2 P(X < k)
};

Rank rank_of(size_t rounds) {
  RINGSIDE_CHECK_LE(rounds, kMostRounds);
  const auto n = static_cast<long double>(rounds);
  long double term = std::exp2(-n), below = term;  // P(X = k-1), P(X < k)
  const auto confidence = [&] { return double(1 - 2 * below); };
  Rank best{1, confidence()};
  for (size_t k = 2; 2 * k <= rounds; ++k) {
    const auto j = static_cast<long double>(k - 1);
    term *= (n - j + 1) / j;
    below += term;
    if (confidence() < kEnoughConfidence) break;
    best = {k, confidence()};
  }
  return best;
}

}  // namespace

RatioInterval ratio_interval(const std::vector<double>& a, const std::vector<double>& b) {
  RINGSIDE_CHECK_EQ(a.size(), b.size());
  RINGSIDE_CHECK(!a.empty(), "the ratio of nothing");
  std::vector<double> ratios;
  for (size_t i = 0; i < a.size(); ++i) {
    RINGSIDE_CHECK(a[i] > 0 && b[i] > 0, "round " << i << " took " << a[i] << " and " << b[i]);
    ratios.push_back(a[i] / b[i]);
  }
  std::ranges::sort(ratios);
  const Rank rank = rank_of(ratios.size());
  return {static_cast<int64_t>(ratios.size()), median(ratios), ratios[rank.k - 1],
          ratios[ratios.size() - rank.k], rank.confidence};
}

Side side_of(const RatioInterval& ratio, double threshold) {
  if (!ratio.tells()) return Side::kAround;
  if (ratio.low > threshold) return Side::kAbove;
  return ratio.high < threshold ? Side::kBelow : Side::kAround;
}

std::string to_text(const RatioInterval& ratio) {
  const double width = ratio.high - ratio.low;
  const int decimals = width > 0 ? std::clamp(int(std::ceil(-std::log10(width))) + 1, 2, 4) : 2;
  return fmt::format("{:.{}f} [{:.{}f}, {:.{}f}]", ratio.median, decimals, ratio.low, decimals, ratio.high,
                     decimals);
}

}  // namespace ringside::inline base
