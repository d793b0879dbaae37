// Errors of a collective: each names rank, group, sequence number and operation.
#pragma once

#include <string>
#include <vector>

#include "ringside/base/error.h"
#include "ringside/trace/events.h"

namespace ringside {

// Which collective, as one rank sees it.
struct CollectiveId {
  int rank = 0;
  std::string group;
  int64_t seq = 0;
  Op op = Op::kBarrier;
  int64_t elements = 0;
  Dtype dtype = Dtype::kUInt8;
};
std::string to_string(const CollectiveId& id);  // "rank 3: dp #41 all_reduce of 1024 float32"

class CollectiveError : public Error {
 public:
  CollectiveError(ExitCode code, CollectiveId id, std::vector<int> ranks, const std::string& message)
      : Error(code, message), id_(std::move(id)), ranks_(std::move(ranks)) {}
  const CollectiveId& id() const { return id_; }
  const std::vector<int>& ranks() const { return ranks_; }  // missing, lost or disagreeing

 private:
  CollectiveId id_;
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
