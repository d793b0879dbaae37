// Errors of a collective: each names the call (rank, group, sequence number, operation) and the ranks that
// are to blame. All ranks are ranks of the world.
#pragma once

#include <string>
#include <vector>

#include "ringside/base/error.h"
#include "ringside/comm/call_record.h"

namespace ringside {

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
struct MismatchError : CollectiveError {  // ranks(): called something else than the majority
  using CollectiveError::CollectiveError;
};

}  // namespace ringside
