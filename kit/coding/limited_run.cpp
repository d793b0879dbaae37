#include "limited_run.h"

#include <fmt/format.h>

#include "ringside/base/clock.h"
#include "ringside/base/error.h"
#include "ringside/launch/launcher.h"

namespace ringside::coding {
namespace {

constexpr int kMostFileBlocks = 128 << 10;  // of 512 bytes

}  // namespace

LimitedRun run_limited(const std::vector<std::string>& command, const RunLimits& limits,
                       const std::function<bool()>& cancelled) {
  // The soft limit of time is a SIGXCPU, which says why; the hard one a SIGKILL.
  const std::string set = fmt::format(
      "ulimit -c 0; ulimit -f {}; ulimit -v {}; ulimit -S -t {}; ulimit -H -t {}; exec \"$@\" </dev/null",
      kMostFileBlocks, limits.memory_kib, limits.cpu_seconds, limits.cpu_seconds + 2);
  std::vector<std::string> words = {"/bin/sh", "-c", set, "sh"};
  words.insert(words.end(), command.begin(), command.end());
  LimitedRun run;
  Launcher launcher([&](size_t, const std::string& line) {
    if (run.lines.size() < limits.lines) run.lines.push_back(line);
  });
  const size_t child = launcher.start(command.at(0), words, {.environment = {{"LC_ALL", "C"}}});
  launcher.let_go(child);
  const int64_t end = now_ns() + limits.deadline_seconds * int64_t{1'000'000'000};
  run.late = !launcher.watch(end, [&] { return !launcher.runs(child) || cancelled(); });
  const bool left = launcher.runs(child);
  if (left) launcher.kill(child);
  if (left && !run.late) throw CancelledError();
  launcher.watch(now_ns(), [] { return true; });  // what it wrote last
  run.code = launcher.exit_code(child);
  run.words = launcher.last_words(child);
  return run;
}

}  // namespace ringside::coding
