// How the ranks of a group end when something goes wrong in it.
#pragma once

#include "on_ranks.h"
#include "ringside/base/clock.h"
#include "ringside/comm/errors.h"

namespace ringside::testing {

struct Ending {
  enum class Kind { kFine, kTimeout, kPeerLost, kMismatch, kNonFinite, kOther };
  Kind kind = Kind::kFine;
  CallRecord call = {};
  std::vector<int> ranks = {};
  std::string text = {};
  SteadyClock::duration time{};
};
using Kind = Ending::Kind;

inline Ending ending_of(const std::function<void()>& body) {
  const auto describe = [](Kind kind, const CollectiveError& error) {
    return Ending{kind, error.call(), error.ranks(), error.what()};
  };
  try {
    body();
  } catch (const TimeoutError& error) {
    return describe(Kind::kTimeout, error);
  } catch (const PeerLostError& error) {
    return describe(Kind::kPeerLost, error);
  } catch (const MismatchError& error) {
    return describe(Kind::kMismatch, error);
  } catch (const NonFiniteError& error) {
    return describe(Kind::kNonFinite, error);
  } catch (const std::exception& error) {
    return {Kind::kOther, {}, {}, error.what()};
  }
  return {};
}

using Handle = std::unique_ptr<ProcessGroup>;

// Runs body(handle) on each rank; nobody aborts unless the body does.
inline std::vector<Ending> endings(int size, const ThreadGroupOptions& options,
                                   const std::function<void(Handle&)>& body) {
  auto handles = make_thread_group(size, options);
  std::vector<Ending> result(static_cast<size_t>(size));
  const auto rank_main = [&](int rank) {
    const auto start = SteadyClock::now();
    result[static_cast<size_t>(rank)] = ending_of([&] { body(handles[rank]); });
    result[static_cast<size_t>(rank)].time = SteadyClock::now() - start;
  };
  run_ranks(size, rank_main, [](int, const std::string&) {});
  return result;
}

inline ThreadGroupOptions with_timeout(std::chrono::milliseconds timeout, bool check = true) {
  ThreadGroupOptions options;
  options.timeout = timeout;
  options.check = check;
  return options;
}

}  // namespace ringside::testing
