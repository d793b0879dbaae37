#include "../../engine/optim/weighted_square.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>

#include "catch.h"

using namespace ringside::optimizers;

TEST_CASE(
    "a weighted square has the bits of rest * (g * g), and those of a wider exponent where g * g overflows") {
  int64_t other = 0, large = 0;
  double farthest = 0;  // of those, from LibTorch's order
  for (const float rest : {0.001f, 0.05f, 0.01f, 1.0f}) {
    for (uint64_t bits = 0; bits <= UINT32_MAX; bits += 9973) {
      const auto g = std::bit_cast<float>(static_cast<uint32_t>(bits));
      const float square = g * g, small = g * 0x1p-63f, own = weighted_square(rest, g);
      const float expected = std::isinf(square) ? rest * (small * small) * 0x1p126f : rest * square;
      other += std::isnan(expected) ? !std::isnan(own)
                                    : std::bit_cast<uint32_t>(own) != std::bit_cast<uint32_t>(expected);
      const float torchs = rest * g * g;
      if (!std::isinf(square) || !std::isfinite(own) || !std::isfinite(torchs)) continue;
      ++large;
      farthest = std::max(farthest, std::abs(double{own} / torchs - 1));
    }
  }
  CHECK(other == 0);
  CHECK(large > 1000);
  CHECK(farthest < 3e-7);
}
