// A program that is not trusted: it ends within a deadline, with limits on processor time, memory, files and
// processes, and with all that it started in its process group.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace ringside::coding {

struct RunLimits {
  int cpu_seconds = 2;
  int64_t memory_kib = 1 << 20;  // of address space
  int deadline_seconds = 20;     // for one that sleeps
  int processes = 64;            // of its group at once; RLIMIT_NPROC does not bind root
  size_t lines = 1000;           // of stdout that are kept, of at most 64 KiB each
};

struct LimitedRun {
  int code = 0;  // 128 + the signal that ended it
  bool late = false;
  bool many = false;                    // ended because of its processes
  std::vector<std::string> lines = {};  // of stdout
  std::string words = {};               // the end of stderr, at most 4 KiB
};

// Its stdin is empty. command[0] is a path or a name in PATH; code 127 where there is none. CancelledError
// once cancelled() says so: the program is gone then. Only the C locale's messages.
LimitedRun run_limited(const std::vector<std::string>& command, const RunLimits& limits,
                       const std::function<bool()>& cancelled);

}  // namespace ringside::coding
