// What rounding alone may do in float32. A value that is rounded n times on its way is off by at most about n
// u times the largest magnitude on that way, u = 2^-24 (Higham, Accuracy and Stability of Numerical
// Algorithms, lemma 3.1). Two computations of it, in different orders or by different BLAS kernels, are apart
// by twice that.
#pragma once

#include <cstdint>

namespace ringside::testing {

inline double rounding_bound(int64_t roundings, double scale) {
  constexpr double kTwiceU = 0x1p-23;
  return static_cast<double>(roundings) * kTwiceU * scale;
}

// Roundings one after the other in an attention, and from a token to a logit: as many in a product or a sum
// as it has terms, and a few in the functions between.
inline constexpr int64_t kFew = 8;
template <typename ClassifierConfig>
int64_t attention_roundings(const ClassifierConfig& config, int64_t tokens) {
  return 2 * config.hidden + config.hidden / config.heads + 2 * tokens + kFew;
}
template <typename ClassifierConfig>
int64_t classifier_roundings(const ClassifierConfig& config, int64_t tokens) {
  const int64_t norm = config.hidden + kFew, feed_forward = config.hidden + config.intermediate + kFew;
  return config.layers * (attention_roundings(config, tokens) + feed_forward + 2 * norm) + norm +
         config.hidden;
}

}  // namespace ringside::testing
