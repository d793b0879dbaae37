#include <cmath>
#include <vector>

void adamw_step(std::vector<double>& w, std::vector<double>& m,
                std::vector<double>& v, const std::vector<double>& g, double lr,
                double beta1, double beta2, double eps, double weight_decay,
                int t) {
  for (size_t i = 0; i < w.size(); ++i) {
    w[i] -= lr * weight_decay * w[i];
    m[i] = beta1 * m[i] + (1 - beta1) * g[i];
    v[i] = beta2 * v[i] + (1 - beta2) * g[i] * g[i];
    const double mean = m[i] / (1 - std::pow(beta1, t)),
                 square = v[i] / (1 - std::pow(beta2, t));
    w[i] -= lr * mean / (std::sqrt(square) + eps);
  }
}
