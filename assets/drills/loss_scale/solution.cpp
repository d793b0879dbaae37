#include <cmath>
#include <vector>

std::vector<double> loss_scale(
    const std::vector<std::vector<double>>& gradients, double scale,
    int interval) {
  std::vector<double> scales;
  int good = 0;
  for (const std::vector<double>& step : gradients) {
    bool finite = true;
    for (const double g : step) finite = finite && std::isfinite(g);
    good = finite ? good + 1 : 0;
    if (!finite) scale /= 2;
    if (good == interval) scale *= 2, good = 0;
    scales.push_back(scale);
  }
  return scales;
}
