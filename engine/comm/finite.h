// Whether a tensor holds what training cannot go on with.
#pragma once

#include <cstdint>
#include <optional>

#include "ringside/comm/process_group.h"

namespace ringside {

// Index of the first NaN or infinity; none where all are finite, or the type has neither.
std::optional<int64_t> first_non_finite(ConstView view);  // view: (n)

}  // namespace ringside
