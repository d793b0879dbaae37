#include "capture.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <thread>

#include "ringside/base/clock.h"

extern char** environ;

namespace ringside {
namespace {

int milliseconds_until(TimePoint deadline) {
  const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(deadline - SteadyClock::now());
  return static_cast<int>(std::max<int64_t>(0, left.count()));
}

// The child with its standard output on `output`, leader of a process group of its own so that
// what it starts ends with it; -1 if it cannot be started.
pid_t spawn(const std::vector<std::string>& command, int output) {
  std::vector<char*> arguments;
  for (const std::string& argument : command) arguments.push_back(const_cast<char*>(argument.c_str()));
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO);
  posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
  pid_t child = -1;
  const int failure = posix_spawnp(&child, arguments[0], &actions, &attributes, arguments.data(), environ);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  return failure == 0 ? child : -1;
}

// Appends until the other side closes; false if it writes too much or is late.
bool read_all(int input, size_t max_bytes, TimePoint deadline, std::string& output) {
  std::array<char, 1 << 16> chunk;
  while (true) {
    pollfd ready{input, POLLIN, 0};
    const int count = poll(&ready, 1, milliseconds_until(deadline));
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return false;
    const ssize_t got = read(input, chunk.data(), chunk.size());
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return got == 0;
    output.append(chunk.data(), static_cast<size_t>(got));
    if (output.size() > max_bytes) return false;
  }
}

// Whether the child ended well; at the deadline it is killed.
bool reap(pid_t child, TimePoint deadline) {
  int status = 0;
  pid_t ended = 0;
  while ((ended = waitpid(child, &status, WNOHANG)) == 0 && milliseconds_until(deadline) > 0) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  if (ended == 0) {
    kill(-child, SIGKILL);
    waitpid(child, &status, 0);
    return false;
  }
  return ended == child && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

}  // namespace

std::optional<std::string> capture(const std::vector<std::string>& command, size_t max_bytes,
                                   std::chrono::milliseconds limit) {
  const TimePoint deadline = SteadyClock::now() + limit;
  int ends[2];  // of the pipe: to read from, to write to
  if (pipe2(ends, O_CLOEXEC) != 0) return std::nullopt;
  const pid_t child = spawn(command, ends[1]);
  close(ends[1]);
  std::string output;
  const bool complete = child > 0 && read_all(ends[0], max_bytes, deadline, output);
  close(ends[0]);
  const bool well = child > 0 && reap(child, complete ? deadline : SteadyClock::now());
  if (!complete || !well) return std::nullopt;
  return output;
}

}  // namespace ringside
