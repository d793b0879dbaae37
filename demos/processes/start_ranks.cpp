// start_ranks N PROGRAM ARGUMENT...: runs the program as N processes, each one rank of a run
// (ringside_sockets/socket_channel.h), with a Unix socket between every two.
#include <fmt/format.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

#include "ringside/base/clock.h"
#include "ringside/base/error.h"
#include "ringside_sockets/socket_channel.h"

using namespace ringside;

namespace {

constexpr int kMostRanks = 32;  // 31 descriptors each, 992 in this process: a system allows 1,024
constexpr char kFooter[] =
    "The program finds its sockets by hub_from_environment(). process_trainer is one:\n"
    "  start_ranks 3 process_trainer 2\n"
    "Ends with 0 where all ranks did, else with the exit code of the one that failed first; a rank that "
    "ends\n"
    "by a signal is a lost peer (5). Ranks that are left then end by themselves, as their peer is gone.";

struct Options {
  int ranks = 0;
  int killed = -1;
  double seconds = 0;
  std::vector<std::string> command;
};

Options parse(int argc, char** argv) {
  CLI::App app(
      "start_ranks [OPTIONS] N PROGRAM [ARGUMENT...]\n"
      "Runs PROGRAM as N processes, each one rank of a run, with a socket between every two.",
      "start_ranks");
  Options options;
  app.add_option("N", options.ranks, "Processes, 1 to " + std::to_string(kMostRanks))
      ->required()
      ->type_name("")
      ->check(CLI::Range(1, kMostRanks));
  app.add_option("--killed", options.killed, "This rank must end by a signal: for tests of the others")
      ->type_name("RANK");
  app.add_option("--seconds", options.seconds, "End all ranks after this time; without it they may take any")
      ->type_name("S")
      ->check(CLI::Range(0.001, 1e6));
  app.prefix_command();  // PROGRAM and whatever stands behind it
  app.footer(kFooter);
  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForHelp&) {
    std::fputs(app.help().c_str(), stdout);
    std::exit(static_cast<int>(ExitCode::kOk));
  } catch (const CLI::ParseError& error) {
    throw UsageError(std::string(error.what()) + "; see start_ranks --help");
  }
  options.command = app.remaining();
  if (options.command.empty()) throw UsageError("PROGRAM is required; see start_ranks --help");
  return options;
}

using Sockets = std::vector<std::vector<int>>;  // (rank, peer); -1: none

Sockets connect_all(int ranks) {
  const auto count = static_cast<size_t>(ranks);
  Sockets sockets(count, std::vector<int>(count, -1));
  for (size_t a = 0; a < count; ++a)
    for (size_t b = a + 1; b < count; ++b) {
      int pair[2];
      if (::socketpair(AF_UNIX, SOCK_STREAM, 0, pair) != 0)
        throw MissingError(fmt::format("no sockets for {} ranks: {}", ranks, std::strerror(errno)));
      sockets[a][b] = pair[0];
      sockets[b][a] = pair[1];
    }
  return sockets;
}

// In the new process: keeps this rank's sockets, and is the program from now on.
[[noreturn]] void become(int rank, const Sockets& sockets, const std::vector<std::string>& command) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);  // no rank outlives start_ranks
  const auto own = static_cast<size_t>(rank);
  for (size_t other = 0; other < sockets.size(); ++other)
    for (const int socket : sockets[other])
      if (other != own && socket >= 0) ::close(socket);
  ::setenv(kRankVariable, std::to_string(rank).c_str(), 1);
  ::setenv(kSocketsVariable, fmt::format("{}", fmt::join(sockets[own], ",")).c_str(), 1);
  std::vector<char*> words;
  for (const std::string& word : command) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  ::execvp(words[0], words.data());
  std::fprintf(stderr, "start_ranks: %s: %s\n", words[0], std::strerror(errno));
  std::_Exit(static_cast<int>(ExitCode::kUsage));
}

std::vector<pid_t> start_all(const Options& options) {
  const Sockets sockets = connect_all(options.ranks);
  std::vector<pid_t> processes;
  for (int rank = 0; rank < options.ranks; ++rank) {
    const pid_t process = ::fork();
    if (process == 0) become(rank, sockets, options.command);
    if (process < 0)
      throw MissingError(fmt::format("no process for rank {}: {}", rank, std::strerror(errno)));
    processes.push_back(process);
  }
  for (const auto& of_rank : sockets)
    for (const int socket : of_rank)
      if (socket >= 0) ::close(socket);
  return processes;
}

// What one rank's end means for all, as an exit code; 0: it is as it should be.
int code_of(int rank, int status, int killed) {
  if (rank == killed) return WIFSIGNALED(status) ? 0 : static_cast<int>(ExitCode::kCheckFailed);
  return WIFEXITED(status) ? WEXITSTATUS(status) : static_cast<int>(ExitCode::kPeerLost);
}

// The exit code of the first that failed; that a peer was lost only where nothing else is known.
int wait_for_all(const Options& options, std::vector<pid_t> processes) {
  constexpr int kLost = static_cast<int>(ExitCode::kPeerLost);
  const TimePoint start = SteadyClock::now();
  int outcome = 0;
  for (size_t running = processes.size(); running > 0;) {
    const double waited = std::chrono::duration<double>(SteadyClock::now() - start).count();
    if (options.seconds > 0 && waited > options.seconds) {
      for (const pid_t process : processes)
        if (process > 0) ::kill(process, SIGKILL);
      throw Error(ExitCode::kTimeout,
                  fmt::format("not over after {} s: all ranks were ended", options.seconds));
    }
    for (int rank = 0; rank < options.ranks; ++rank) {
      pid_t& process = processes[static_cast<size_t>(rank)];
      int status = 0;
      if (process <= 0 || ::waitpid(process, &status, WNOHANG) != process) continue;
      process = 0;
      --running;
      const int code = code_of(rank, status, options.killed);
      if (code == 0) continue;
      const bool by_signal = WIFSIGNALED(status);
      fmt::print(stderr, "start_ranks: rank {} ended with {} {}\n", rank, by_signal ? "signal" : "exit code",
                 by_signal ? WTERMSIG(status) : WEXITSTATUS(status));
      if (outcome == 0 || outcome == kLost) outcome = code;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return outcome;
}

}  // namespace

int main(int argc, char** argv) try {
  const Options options = parse(argc, argv);
  return wait_for_all(options, start_all(options));
} catch (const Error& error) {
  std::fprintf(stderr, "start_ranks: %s\n", error.what());
  return static_cast<int>(error.code());
}
