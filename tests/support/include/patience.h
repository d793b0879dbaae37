// How long tests wait for what must come: far beyond what any machine needs. Nothing is measured by it; what
// never comes is a failure instead of a hang.
#pragma once

#include <chrono>
#include <functional>
#include <thread>

namespace ringside::testing {

inline constexpr std::chrono::minutes kPatience{5};

// True as soon as it holds; false where it does not for that long.
inline bool eventually(const std::function<bool()>& holds) {
  const auto end = std::chrono::steady_clock::now() + kPatience;
  while (!holds()) {
    if (std::chrono::steady_clock::now() > end) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return true;
}

// Of a session: true once finished, however long that takes; false where it stalls, without progress for that
// long.
template <typename Session>
bool finishes(Session& session) {
  for (auto seen = session.progress();;) {
    if (session.wait_for(kPatience)) return true;
    const auto now = session.progress();
    if (now.phase == seen.phase && now.done == seen.done) return false;
    seen = now;
  }
}

}  // namespace ringside::testing
