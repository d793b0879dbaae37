// How a group broke. The first failure stands, and every call that had not completed carries it.
#pragma once

#include <string>
#include <vector>

#include "ringside/comm/errors.h"

namespace ringside {

struct Failure {
  enum class Kind { kTimeout, kPeerLost, kMismatch, kNotFinite };
  Kind kind = Kind::kPeerLost;
  std::vector<int> ranks;  // late, lost, disagreeing or not finite
  std::string text;
  std::string at = {};  // the call where it was found, if it was one
};

inline const char* kind_name(Failure::Kind kind) {
  constexpr const char* kNames[] = {"timeout", "peer_lost", "mismatch", "not_finite"};
  return kNames[static_cast<int>(kind)];
}

// Throws the typed error of one call that the failure ended: a new one in the thread that asks, since
// exceptions that threads share are counted where ThreadSanitizer cannot see it.
[[noreturn]] inline void throw_error(const Failure& failure, const CollectiveId& id) {
  const std::string call = to_string(id);
  const std::string elsewhere = failure.at.empty() || call.ends_with(failure.at) ? "" : failure.at + " ";
  const std::string message = call + ": " + elsewhere + failure.text;
  switch (failure.kind) {
    case Failure::Kind::kTimeout:
      throw TimeoutError(ExitCode::kTimeout, id, failure.ranks, message);
    case Failure::Kind::kMismatch:
      throw MismatchError(ExitCode::kMismatch, id, failure.ranks, message);
    case Failure::Kind::kNotFinite:
      throw NonFiniteError(ExitCode::kCheckFailed, id, failure.ranks, message);
    case Failure::Kind::kPeerLost:
      break;
  }
  throw PeerLostError(ExitCode::kPeerLost, id, failure.ranks, message);
}

}  // namespace ringside
