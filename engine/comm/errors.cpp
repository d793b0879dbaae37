#include "ringside/comm/errors.h"

#include <fmt/format.h>

namespace ringside::inline comm {

const char* kind_name(Failure::Kind kind) {
  constexpr const char* kNames[] = {"timeout", "peer_lost", "mismatch", "not_finite"};
  return kNames[static_cast<int>(kind)];
}

void throw_error(const Failure& failure, const CallRecord& call) {
  const std::string here = to_string(call);
  const std::string elsewhere = failure.at.empty() || here == failure.at ? "" : failure.at + " ";
  const std::string message = fmt::format("rank {}: {}: {}{}", call.rank, here, elsewhere, failure.text);
  switch (failure.kind) {
    case Failure::Kind::kTimeout:
      throw TimeoutError(ExitCode::kTimeout, call, failure.ranks, message);
    case Failure::Kind::kMismatch:
      throw MismatchError(ExitCode::kMismatch, call, failure.ranks, message);
    case Failure::Kind::kNotFinite:
      throw NonFiniteError(ExitCode::kCheckFailed, call, failure.ranks, message);
    case Failure::Kind::kPeerLost:
      break;
  }
  throw PeerLostError(ExitCode::kPeerLost, call, failure.ranks, message);
}

}  // namespace ringside::inline comm
