// The record of a call, how a group breaks, and the errors of its calls: each names the call (rank, group,
// sequence number, operation) and the ranks that are to blame. All ranks are ranks of the world.
#pragma once

#include <string>
#include <vector>

#include "ringside/base/error.h"
#include "ringside/comm/process_group.h"

namespace ringside::inline comm {

// The record of one call: what its ranks must agree in before data moves, and whose call it is. An error
// names a call by it. What is compared, and what is said where ranks disagree.
struct CallRecord {
  // Ranks must agree in these.
  std::string group{};
  int64_t seq = 0;  // in the group; of a send or recv: between the two ranks, per direction
  Op op = Op::kBarrier;
  Dtype dtype = Dtype::kUInt8;
  int64_t elements = 0;              // of the payload (process_group.h)
  int root = -1;                     // rank of the world: of a broadcast; of a send and a recv, the sender
  ReduceOp reduce = ReduceOp::kSum;  // of an all-reduce
  // A hash of what a collective carries, its tag and unit; 0: it does not say. It tells a call that one rank
  // has left out from the next of the same size. Threads leave it 0.
  uint64_t contents = 0;
  // Not compared.
  int rank = 0;  // of the world: whose call it is
};
std::string to_string(const CallRecord& call);  // "dp #41 broadcast of 1024 float32 from rank 2"

bool agree(const CallRecord& a, const CallRecord& b);

// Places whose call is not the most frequent one; all places where several are as frequent, as it cannot be
// told then who is wrong. Empty: all agree.
std::vector<int> disagreeing(const std::vector<const CallRecord*>& by_place);

// "ranks 0, 1 and 3 call dp #41 all_reduce of 8 float32; rank 2 calls dp #41 barrier"
std::string describe_disagreement(const std::vector<const CallRecord*>& by_place);

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
template <ExitCode kCode>
struct CollectiveErrorOf : CollectiveError {
  CollectiveErrorOf(CallRecord call, std::vector<int> ranks, const std::string& message)
      : CollectiveError(kCode, std::move(call), std::move(ranks), message) {}
};
using TimeoutError = CollectiveErrorOf<ExitCode::kTimeout>;        // ranks(): did not arrive
using PeerLostError = CollectiveErrorOf<ExitCode::kPeerLost>;      // ranks(): went away
using NonFiniteError = CollectiveErrorOf<ExitCode::kCheckFailed>;  // ranks(): whose own input was not finite
// ranks(): called something else than the majority; all, without one
using MismatchError = CollectiveErrorOf<ExitCode::kMismatch>;

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
