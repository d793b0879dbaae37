// How many times as long A takes as B, measured in rounds that take turns: A B, B A, A B, ... What else the
// machine does then falls on both.
//
//   r_i = a_i / b_i                 the ratio of round i; r_(1) <= ... <= r_(n) in order
//   m                               the median of all rounds that there could be
//   P(r_(k) <= m <= r_(n+1-k)) >= 1 - 2 P(X < k)      X ~ Binomial(n, 1/2)
//
// This holds for any distribution, as long as one round does not depend on another (Thompson 1936,
// Annals of Mathematical Statistics 7, 122-128). The interval has the largest k that gives at least 95 %.
// Fewer than six rounds cannot give that: then it is the whole range, with the 1 - 2^(1-n) that it has.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace ringside::inline base {

inline constexpr double kEnoughConfidence = 0.95;
inline constexpr int64_t kLeastRounds = 6;  // that can have it: 1 - 2^-5

struct RatioInterval {
  int64_t rounds = 0;  // n
  double median = 0;   // of the ratios
  double low = 0, high = 0;
  double confidence = 0;  // that the interval contains m: at least this
  bool tells() const { return confidence >= kEnoughConfidence; }
};

// a[i] and b[i] are of round i. InvariantError where there is none, one is missing, or one is not positive.
RatioInterval ratio_interval(const std::vector<double>& a, const std::vector<double>& b);

// On which side of the threshold the whole interval lies; kAround also where it does not tell.
enum class Side : uint8_t { kBelow, kAround, kAbove };
Side side_of(const RatioInterval& ratio, double threshold);

std::string to_text(const RatioInterval& ratio);  // "1.04 [0.96, 1.12]"; more decimals where it is narrow

}  // namespace ringside::inline base
