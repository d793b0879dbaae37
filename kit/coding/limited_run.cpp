#include "limited_run.h"

#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "ringside/base/clock.h"
#include "ringside/base/error.h"
#include "ringside/launch/launcher.h"

namespace ringside::coding {
namespace {

constexpr int kMostFileBlocks = 128 << 10;                                  // of 512 bytes
constexpr int64_t kBetweenCounts = 50'000'000, kMostToEnd = 2'000'000'000;  // ns

// Without those that have ended and nobody has waited for.
int processes_of_group(int64_t group) {
  int count = 0;
  for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
    std::ifstream file(entry.path() / "stat");  // "12 (name) state parent group ..."
    std::string line, state;
    if (!std::getline(file, line)) continue;
    int64_t parent = 0, own = 0;
    std::istringstream(line.substr(line.rfind(')') + 1)) >> state >> parent >> own;
    if (own == group && state != "Z") ++count;
  }
  return count;
}

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
  const int64_t group = launcher.process_id(child);
  int64_t next = 0;
  const auto has_many = [&] {
    if (now_ns() < next) return false;
    run.many = processes_of_group(group) > limits.processes;
    next = now_ns() + kBetweenCounts;
    return run.many;
  };
  run.late = !launcher.watch(end, [&] { return !launcher.runs(child) || cancelled() || has_many(); });
  const bool left = launcher.runs(child);
  if (left) launcher.kill(child);
  if (left && !run.late && !run.many) throw CancelledError();
  if (run.many) launcher.watch(now_ns() + kMostToEnd, [&] { return processes_of_group(group) == 0; });
  launcher.watch(now_ns(), [] { return true; });  // what it wrote last
  run.code = launcher.exit_code(child);
  run.words = launcher.last_words(child);
  return run;
}

}  // namespace ringside::coding
