// Scalars that have a unit; their events say a name alone.
#pragma once

#include <string_view>

namespace ringside::inline trace {

inline constexpr char kStepTime[] = "step time";  // of a training's step, on its first rank

// What a GPU's allocator holds for all ranks and nobody uses, after a step; on the first rank.
inline constexpr char kCachedMemory[] = "cached";

inline std::string_view unit_of_scalar(std::string_view name) {
  return name == kStepTime ? "ms" : name == kCachedMemory ? "bytes" : "";
}

}  // namespace ringside::inline trace
