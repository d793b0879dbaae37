// Runs that mostly wait, for a deadline or for a sleep, side by side.
#pragma once

#include <future>
#include <vector>

namespace ringside::testing {

// run(case) of each on a thread of its own; what they return, in order. Catch2 is one thread's: run() checks
// nothing.
template <typename Case, typename Run>
auto at_once(const std::vector<Case>& cases, const Run& run) {
  std::vector<std::future<decltype(run(cases.front()))>> running;
  for (const Case& one : cases)
    running.push_back(std::async(std::launch::async, [&run, &one] { return run(one); }));
  std::vector<decltype(run(cases.front()))> results;
  for (auto& result : running) results.push_back(result.get());
  return results;
}

}  // namespace ringside::testing
