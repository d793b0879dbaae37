// Scalars that have a unit; their events say a name alone.
#pragma once

#include <string_view>

namespace ringside {

inline constexpr char kStepTime[] = "step time";  // of a training's step, on its first rank

inline std::string_view unit_of_scalar(std::string_view name) { return name == kStepTime ? "ms" : ""; }

}  // namespace ringside
