// start_ranks N [--killed RANK] PROGRAM ARGUMENT...: runs the program as N processes, each one rank of a run
// (comm/socket_transport.h), with a socket between every two. Ends with 0 where all did; --killed: where that
// rank died by a signal and all others ended with 0. After a minute it ends them.
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

namespace {

constexpr int kSeconds = 60;

[[noreturn]] void become(int rank, const std::vector<std::vector<int>>& sockets, char** command) {
  std::string list;
  for (size_t peer = 0; peer < sockets.size(); ++peer) {
    list += (peer == 0 ? "" : ",") + std::to_string(sockets[static_cast<size_t>(rank)][peer]);
    for (size_t other = 0; other < sockets.size(); ++other)
      if (static_cast<int>(other) != rank && sockets[other][peer] >= 0) close(sockets[other][peer]);
  }
  setenv("RINGSIDE_RANK", std::to_string(rank).c_str(), 1);
  setenv("RINGSIDE_SOCKETS", list.c_str(), 1);
  execvp(command[0], command);
  std::perror(command[0]);
  std::_Exit(127);
}

bool as_expected(int rank, int killed, int status) {
  if (rank == killed) return WIFSIGNALED(status);
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

}  // namespace

int main(int count, char** words) {
  if (count < 3) return 2;
  const int ranks = std::atoi(words[1]);
  int killed = -1;
  char** command = words + 2;
  if (std::strcmp(command[0], "--killed") == 0) {
    killed = std::atoi(command[1]);
    command += 2;
  }
  std::vector<std::vector<int>> sockets(static_cast<size_t>(ranks),
                                        std::vector<int>(static_cast<size_t>(ranks), -1));
  for (size_t a = 0; a < sockets.size(); ++a)
    for (size_t b = a + 1; b < sockets.size(); ++b) {
      int pair[2];
      if (socketpair(AF_UNIX, SOCK_STREAM, 0, pair) != 0) return 1;
      sockets[a][b] = pair[0];
      sockets[b][a] = pair[1];
    }
  std::vector<pid_t> processes;
  for (int rank = 0; rank < ranks; ++rank) {
    const pid_t process = fork();
    if (process == 0) become(rank, sockets, command);
    processes.push_back(process);
  }
  for (const auto& row : sockets)
    for (const int socket : row)
      if (socket >= 0) close(socket);
  int running = ranks;
  bool fine = true;
  for (int waited = 0; running > 0; ++waited) {
    if (waited == kSeconds * 100)
      for (const pid_t process : processes)
        if (process > 0) kill(process, SIGKILL);
    for (int rank = 0; rank < ranks; ++rank) {
      pid_t& process = processes[static_cast<size_t>(rank)];
      int status = 0;
      if (process <= 0 || waitpid(process, &status, WNOHANG) != process) continue;
      process = 0;
      --running;
      if (as_expected(rank, killed, status)) continue;
      std::fprintf(stderr, "rank %d ended with status %d\n", rank, status);
      fine = false;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return fine ? 0 : 1;
}
