// Generated scenes whose parts are known, for what has to find shapes without labels: a circle, a square and
// a triangle before a background, as side x side tokens of three colours. A scene is seen twice, under lights
// that fall across it in directions of their own.
#pragma once

#include <ATen/ATen.h>

#include <cstdint>
#include <vector>

namespace ringside::inline nn {

struct Scenes {
  static constexpr int64_t kKinds = 4;  // background, circle, square, triangle
  static constexpr int64_t kColours = 3;
  at::Tensor first, second, colours;        // (count, N, 3), N = side^2: two views; of the kinds alone
  std::vector<std::vector<int64_t>> kinds;  // (count, N)
  int64_t count() const { return std::ssize(kinds); }
  // A view is the colours, a light that changes from -light to light across the scene and is the same in all
  // three colours, and noise of deviation 0.1. Scene i is the same whatever the count. UsageError where the
  // side is below 8: shapes would have too few tokens.
  static Scenes draw(int64_t count, int64_t side, double light, uint64_t seed);
};

}  // namespace ringside::inline nn
