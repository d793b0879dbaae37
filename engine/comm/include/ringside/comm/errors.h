// How a group breaks, and the errors of its calls: each names the call (rank, group, sequence number,
// operation) and the ranks that are to blame. All ranks are ranks of the world.
#pragma once

#include <string>
#include <vector>

#include "ringside/base/error.h"
#include "ringside/comm/call_record.h"

namespace ringside::inline comm {

class CollectiveError : public Error {
 public:
  CollectiveError(ExitCode code, CallRecord call, std::vector<int> ranks, const std::string& message)
      : Error(code, message), call_(std::move(call)), ranks_(std::move(ranks)) {}
  const CallRecord& call() const { return call_; }
  const std::vector<int>& ranks() const { return ranks_; }  // missing, lost or disagreeing

 private:
  CallRecord call_;
  std::vector<int> ranks_;
};
struct TimeoutError : CollectiveError {  // ranks(): did not arrive
  using CollectiveError::CollectiveError;
};
struct PeerLostError : CollectiveError {  // ranks(): went away
  using CollectiveError::CollectiveError;
};
struct NonFiniteError : CollectiveError {  // ranks(): whose own input was not finite, before any sum
  using CollectiveError::CollectiveError;
};
struct MismatchError
    : CollectiveError {  // ranks(): called something else than the majority; all, without one
  using CollectiveError::CollectiveError;
};

// How a group broke. The first failure stands, and every call that had not completed carries it.
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

}  // namespace ringside::inline comm
