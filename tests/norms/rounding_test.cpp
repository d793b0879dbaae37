// How far norms are off in fp32, where a row's mean is large beside its deviation too.
#include <algorithm>
#include <cmath>
#include <vector>

#include "catch.h"
#include "ringside/base/random.h"
#include "ringside/norms/rms_norm.h"

using namespace ringside;
using namespace ringside::norms;

namespace {

constexpr Rows kRows{40, 1000};
constexpr double kEps = 1e-5;

std::vector<float> drawn(int64_t count, uint64_t seed, double mean, double deviation) {
  RandomStream stream(seed, "rounding of norms");
  std::vector<float> values(static_cast<size_t>(count));
  for (float& value : values) value = static_cast<float>(mean + deviation * stream.normal());
  return values;
}

double last_place(long double of) { return std::ldexp(1.0, std::ilogb(static_cast<double>(of)) - 23); }

// In units of the last place, of layer norm's y and of RMS norm's.
struct Off {
  double layer = 0, rms = 0;
};

Off off_by(double mean, double deviation, bool in_real) {
  const int64_t H = kRows.width;
  const auto x = drawn(kRows.count * H, 1, mean, deviation), w = drawn(H, 2, 0, 1), b = drawn(H, 3, 0, 1);
  std::vector<float> y(x.size()), y_rms(x.size());
  std::vector<double> m(static_cast<size_t>(kRows.count)), s(m);
  run(LayerNormForward<float>{kRows, kEps, x.data(), w.data(), b.data(), y.data(), m.data(), s.data(),
                              in_real});
  run(RmsNormForward<float>{kRows, kEps, x.data(), w.data(), y_rms.data(), s.data(), in_real});
  Off off;
  for (int64_t row = 0; row < kRows.count; ++row) {
    const float* const of_row = x.data() + row * H;
    long double sum = 0, squares = 0, variance = 0;
    for (int64_t i = 0; i < H; ++i)
      sum += of_row[i], squares += static_cast<long double>(of_row[i]) * of_row[i];
    for (int64_t i = 0; i < H; ++i) variance += (of_row[i] - sum / H) * (of_row[i] - sum / H);
    const auto scale = [&](long double total) {
      return 1 / std::sqrt(total / H + static_cast<long double>(kEps));
    };
    for (int64_t i = 0; i < H; ++i) {
      const auto at = static_cast<size_t>(row * H + i), feature = static_cast<size_t>(i);
      const long double wu = w[feature] * (of_row[i] - sum / H) * scale(variance), bias = b[feature];
      const long double rms = w[feature] * (of_row[i] * scale(squares));
      const double of_layer = last_place(std::max(std::abs(wu), std::abs(bias)));
      off.layer = std::max(off.layer, std::abs(static_cast<double>(y[at] - (wu + bias))) / of_layer);
      off.rms = std::max(off.rms, std::abs(static_cast<double>(y_rms[at] - rms)) / last_place(rms));
    }
  }
  return off;
}

}  // namespace

TEST_CASE(
    "norms round y once; in_real layer norm is off by 4 units in the last place at most, RMS norm by 3") {
  for (const auto& [mean, deviation] : {std::pair{0.0, 1.0}, {5.0, 3.0}, {1e4, 0.1}, {0.0, 1e10}}) {
    INFO("mean " << mean << ", deviation " << deviation);
    const Off once = off_by(mean, deviation, false), in_real = off_by(mean, deviation, true);
    CHECK(once.layer <= 1.0001);  // where w u and b are nearly equal, y has the next exponent
    CHECK(once.rms <= 0.5001);
    CHECK(in_real.layer <= 4);
    CHECK(in_real.rms <= 3);
  }
}
