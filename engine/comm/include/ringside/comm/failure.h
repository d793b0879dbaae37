// How a group broke. The first failure stands, and every call that had not completed carries it.
#pragma once

#include <string>
#include <vector>

#include "ringside/comm/errors.h"

namespace ringside {

struct Failure {
  enum class Kind { kTimeout, kPeerLost, kMismatch, kNotFinite };
  Kind kind = Kind::kPeerLost;
  std::vector<int> ranks;  // of the world: late, lost, disagreeing or not finite
  std::string text;
  std::string at = {};  // the call where it was found, if it was one
};
const char* kind_name(Failure::Kind kind);  // "timeout", "peer_lost", "mismatch", "not_finite"

// Throws the typed error of one call that the failure ended. Each waiter throws its own exception object:
// rethrowing one exception_ptr on several threads is correct, but its reference count is in uninstrumented
// libstdc++, so ThreadSanitizer reports a race that is none.
[[noreturn]] void throw_error(const Failure& failure, const CallRecord& call);

}  // namespace ringside
