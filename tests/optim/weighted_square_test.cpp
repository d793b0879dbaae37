#include "../../engine/optim/weighted_square.h"

#include <bit>
#include <cmath>
#include <cstdint>

#include "catch.h"

using namespace ringside::optimizers;

TEST_CASE(
    "a weighted square has the bits of rest * (g * g) while that square is finite, else of (rest * g) * g") {
  int64_t other = 0, large = 0;
  for (const float rest : {0.001f, 0.05f, 0.01f, 1.0f}) {
    for (uint64_t bits = 0; bits <= UINT32_MAX; bits += 9973) {
      const auto g = std::bit_cast<float>(static_cast<uint32_t>(bits));
      const float square = g * g;
      const float expected = std::isinf(square) ? rest * g * g : rest * square;
      const float own = weighted_square(rest, g);
      large += std::isinf(square) && std::isfinite(expected) ? 1 : 0;
      other += std::isnan(expected) ? !std::isnan(own)
                                    : std::bit_cast<uint32_t>(own) != std::bit_cast<uint32_t>(expected);
    }
  }
  CHECK(other == 0);
  CHECK(large > 1000);
}
