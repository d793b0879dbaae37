// Of random inputs a tenth under a sanitizer, where each takes ten times as long; without one all of them.
#pragma once

#include "sanitized.h"

namespace ringside::testing {

inline int random_cases(int count) { return kSanitized ? count / 10 : count; }

}  // namespace ringside::testing
