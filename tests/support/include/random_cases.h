// Of random inputs a tenth under a sanitizer, where each takes ten times as long; without one all of them.
#pragma once

namespace ringside::testing {

constexpr int random_cases(int count) {
#ifdef RINGSIDE_SANITIZED
  return count / 10;
#else
  return count;
#endif
}

}  // namespace ringside::testing
