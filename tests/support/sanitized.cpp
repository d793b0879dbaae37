#include "sanitized.h"

namespace ringside::testing {
#ifdef RINGSIDE_SANITIZED
const bool kSanitized = true;
#else
const bool kSanitized = false;
#endif
}  // namespace ringside::testing
