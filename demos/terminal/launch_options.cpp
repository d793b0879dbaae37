#include "launch_options.h"

#include "option_checks.h"

namespace ringside {
namespace {

constexpr int kMostProcesses = 64, kMostOfRun = 1 << 16;
constexpr const char* kGroup = "Ranks as processes";

}  // namespace

void add_launch_flags(CLI::App& command, LaunchFlags& flags) {
  const auto add = [&](const char* name, auto& value, const char* type, const char* meaning) {
    return add_value(command, name, value, meaning, type)->group(kGroup);
  };
  add("--rank", flags.rank, "R", "This process's rank; with --world-size, instead of a launcher's variables")
      ->transform(whole_in(0, kMostOfRun));
  add("--world-size", flags.size, "N", "Ranks of the run")->transform(whole_in(1, kMostOfRun));
  add("--master-addr", flags.address, "HOST", "Where rank 0 keeps the store; default 127.0.0.1");
  add("--master-port", flags.port, "PORT", "Its port; default 29500")->transform(whole_in(1, 65535));
  add("--run-id", flags.run_id, "NAME", "A process of another run is refused");
  add("--transport", flags.transport, "NAME",
      "What carries the bytes: sockets (default), gloo where it was found, or with device=cuda and a GPU a "
      "rank nccl, or nccl_ordered, which adds in the order of ranks");
  add("--interface", flags.network, "NAME", "The network interface by which others reach this rank");
}

void add_launch_options(CLI::App& command, LaunchOptions& options) {
  add_value(command, "--processes", options.processes, "Start so many ranks, each a process of this host",
            "N", whole_in(1, kMostProcesses))
      ->group(kGroup);
  add_value(command, "--restarts", options.restarts,
            "With --processes: start all ranks anew, so many times, after one was lost", "K",
            whole_in(0, kMostOfRun))
      ->group(kGroup);
  add_value(command, "--log-dir", options.log_folder, "Keep what every rank writes: FOLDER/rank_R.log",
            "FOLDER", is_name())
      ->group(kGroup);
  add_launch_flags(command, options.flags);
}

}  // namespace ringside
