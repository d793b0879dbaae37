#include <cmath>
#include <tuple>
#include <vector>

using Vector = std::vector<double>;
using Matrix = std::vector<Vector>;

std::tuple<Matrix, Vector, Vector> layer_norm_backward(const Matrix& x,
                                                       const Vector& w,
                                                       const Matrix& dy,
                                                       double eps) {
  const size_t width = w.size();
  Matrix dx = x;
  Vector dw(width), db(width), u(width);
  for (size_t r = 0; r < x.size(); ++r) {
    double mean = 0, var = 0, g = 0, gu = 0;
    for (const double a : x[r]) mean += a / width;
    for (const double a : x[r]) var += (a - mean) * (a - mean) / width;
    const double s = 1 / std::sqrt(var + eps);
    for (size_t i = 0; i < width; ++i) {
      u[i] = (x[r][i] - mean) * s;
      g += w[i] * dy[r][i] / width;
      gu += w[i] * dy[r][i] * u[i] / width;
      dw[i] += dy[r][i] * u[i];
      db[i] += dy[r][i];
    }
    for (size_t i = 0; i < width; ++i)
      dx[r][i] = s * (w[i] * dy[r][i] - g - u[i] * gu);
  }
  return {dx, dw, db};
}
