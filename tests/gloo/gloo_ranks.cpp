// gloo_ranks [--killed RANK] N PROGRAM ARGUMENT...: runs the program as N processes, and keeps the store
// where they meet. --killed: this rank must end by a signal. Ends with the exit code of the first that
// failed.
#include <cstdio>
#include <string>
#include <vector>

#include "ringside/base/clock.h"
#include "ringside/launch/launcher.h"
#include "ringside/launch/store.h"

using namespace ringside;

int main(int argc, char** argv) try {
  std::vector<std::string> words(argv + 1, argv + argc);
  int killed = -1;
  if (words.size() > 1 && words[0] == "--killed") {
    killed = std::stoi(words[1]);
    words.erase(words.begin(), words.begin() + 2);
  }
  if (words.size() < 2) throw UsageError("gloo_ranks [--killed RANK] N PROGRAM ARGUMENT...");
  const size_t size = std::stoul(words[0]);
  const StoreServer store({.run_id = "gloo_ranks", .size = static_cast<int>(size)});
  int64_t killed_ns = 0;
  std::vector<int64_t> ended_ns;
  Launcher launcher([&](size_t rank, const std::string& line) {
    std::printf("%zu: %s\n", rank, line.c_str());
    long long time = 0;
    if (std::sscanf(line.c_str(), "killed at %lld", &time) == 1) killed_ns = time;
    if (std::sscanf(line.c_str(), "ended at %lld", &time) == 1) ended_ns.push_back(time);
  });
  for (size_t rank = 0; rank < size; ++rank) {
    std::vector<std::string> command = {"/usr/bin/env", "RANK=" + std::to_string(rank),
                                        "WORLD_SIZE=" + words[0],
                                        "MASTER_PORT=" + std::to_string(store.port())};
    command.insert(command.end(), words.begin() + 1, words.end());
    launcher.let_go(launcher.start("rank " + std::to_string(rank), command));
  }
  int outcome = 0;
  size_t ended = 0;
  std::vector<bool> over(size);
  const auto note_ends = [&] {
    for (size_t rank = 0; rank < size; ++rank) {
      if (over[rank] || launcher.runs(rank)) continue;
      over[rank] = true, ++ended;
      const int code = launcher.exit_code(rank);
      if (static_cast<int>(rank) == killed ? code > 128 : code == 0) continue;
      std::printf("rank %zu ended with exit code %d\n%s\n", rank, code, launcher.last_words(rank).c_str());
      if (outcome == 0) outcome = code == 0 ? 1 : code;
    }
    return ended == size;
  };
  constexpr int64_t kLongest = 120'000'000'000;  // ns
  if (!launcher.watch(now_ns() + kLongest, note_ends)) throw UsageError("gloo_ranks: not over after 120 s");
  for (const int64_t time : ended_ns)
    std::printf("a survivor ended after %.3f ms\n", static_cast<double>(time - killed_ns) * 1e-6);
  return outcome;
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
