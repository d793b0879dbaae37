#include <algorithm>
#include <cmath>
#include <vector>

double online_softmax(const std::vector<std::vector<double>>& scores,
                      const std::vector<std::vector<double>>& values) {
  double most = -INFINITY, sum = 0, weighted = 0;
  for (size_t b = 0; b < scores.size(); ++b) {
    double now = most;
    for (const double s : scores[b]) now = std::max(now, s);
    // Nothing is seen yet, and -inf - -inf is no number.
    if (std::isinf(now)) continue;
    const double factor = std::exp(most - now);
    sum *= factor, weighted *= factor, most = now;
    for (size_t i = 0; i < scores[b].size(); ++i) {
      const double p = std::exp(scores[b][i] - most);
      sum += p, weighted += p * values[b][i];
    }
  }
  return weighted / sum;
}
