// Checks of invariants, on in every build. A failed one throws InvariantError
// with both expressions and both values, so that the message alone is a report.
#pragma once

#include <sstream>

#include "ringside/base/error.h"

namespace ringside::detail {

template <typename A, typename B>
[[noreturn]] void check_failed(const char* file, int line, const char* text, const A& a, const B& b) {
  std::ostringstream message;
  message << file << ":" << line << ": check failed: " << text << " (" << a << " against " << b << ")";
  throw InvariantError(message.str());
}

}  // namespace ringside::detail

#define RINGSIDE_CHECK_OP(a, op, b)                                                                    \
  do {                                                                                                 \
    const auto& ringside_a = (a);                                                                      \
    const auto& ringside_b = (b);                                                                      \
    if (!(ringside_a op ringside_b))                                                                   \
      ::ringside::detail::check_failed(__FILE__, __LINE__, #a " " #op " " #b, ringside_a, ringside_b); \
  } while (false)

#define RINGSIDE_CHECK_EQ(a, b) RINGSIDE_CHECK_OP(a, ==, b)
#define RINGSIDE_CHECK_NE(a, b) RINGSIDE_CHECK_OP(a, !=, b)
#define RINGSIDE_CHECK_LE(a, b) RINGSIDE_CHECK_OP(a, <=, b)
#define RINGSIDE_CHECK_LT(a, b) RINGSIDE_CHECK_OP(a, <, b)
#define RINGSIDE_CHECK_GE(a, b) RINGSIDE_CHECK_OP(a, >=, b)

#define RINGSIDE_CHECK(condition, message)                                                           \
  do {                                                                                               \
    if (!(condition)) {                                                                              \
      std::ostringstream ringside_text;                                                              \
      ringside_text << __FILE__ << ":" << __LINE__ << ": check failed: " #condition ": " << message; \
      throw ::ringside::InvariantError(ringside_text.str());                                         \
    }                                                                                                \
  } while (false)
