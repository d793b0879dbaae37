// Ways to do one thing, timed in turns: A B, B A, A B, ... (base/ratio.h says what follows from such times).
// A time is this thread's own CPU time, so that what else the machine does is not in it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "ringside/base/clock.h"

namespace ringside::inline kit {

// The same number. The compiler knows nothing of it, and so cannot take several at once.
[[gnu::always_inline]] inline double opaque(double number) {
#if defined(__x86_64__)
  asm("" : "+x"(number));
#elif defined(__aarch64__)
  asm("" : "+w"(number));
#endif
  return number;
}

struct Way {
  std::string name;
  std::function<double(int64_t calls)> ns_of_call;  // the mean of so many calls
};

// once() is called once more before those that are timed.
template <typename Once>
Way way(std::string name, Once once) {
  return {std::move(name), [once](int64_t calls) mutable {
            once();
            const double start = thread_cpu_ns();
            for (int64_t i = 0; i < calls; ++i) once();
            return (thread_cpu_ns() - start) / double(calls);
          }};
}

struct WayRounds {
  int64_t rounds = 9;
  double ns = 0.5e6;  // of each way in a round: 1 to 100,000 calls, and one that is not timed
  std::function<void()> before_round = [] {};
};
// `record` is called with a way's name, the round and the ns of one call.
template <typename Record>
void time_in_turns(const std::vector<Way>& ways, const WayRounds& options, const Record& record) {
  std::vector<std::pair<const Way*, int64_t>> turns;  // and its calls
  for (const Way& way : ways) {
    const double calls = options.ns / std::max(1.0, way.ns_of_call(3));
    turns.emplace_back(&way, int64_t(std::clamp(calls, 1.0, 1e5)));
  }
  for (int64_t round = 0; round < options.rounds; ++round) {
    options.before_round();
    for (const auto& [way, calls] : turns) record(way->name, round, way->ns_of_call(calls));
    std::ranges::reverse(turns);
  }
}

}  // namespace ringside::inline kit
