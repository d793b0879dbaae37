// Which rank of which run this process is, as whoever started it says: flags, torchrun's variables, Open
// MPI's, PMI's (MPICH, Intel MPI), Slurm's, in this order; else it is alone. The first that says anything is
// believed, whole: a half-set environment is a UsageError that names what is missing, and never filled up
// from another launcher's.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "ringside/launch/store.h"

namespace ringside::inline launch {

using Environment = std::map<std::string, std::string>;
Environment own_environment();

struct LaunchFlags {
  std::optional<int> rank, size;  // --rank, --world-size: both or none
  std::optional<std::string> address{};
  std::optional<int> port{};
  std::optional<std::string> run_id{}, network{}, transport{};
};

// A value, and the flag or variable that it comes from.
template <typename T>
struct Known {
  T value{};
  std::string from = "default";
};

struct Launch {
  std::string launcher = "none";  // "flags", "environment", "torchrun", "Open MPI", "PMI", "Slurm"
  Known<int> rank{0}, size{1};    // size 1: alone, ranks are threads
  Known<int> local_rank{0}, local_size{1};
  Known<std::string> address{"127.0.0.1"};  // where rank 0 keeps the store
  Known<int> port{29500};    // of that store; 0: the system chooses, and rank 0 says so in torchrun's
  Known<int> agent_port{0};  // where torchrun keeps a store of its own, at `address`; 0: nowhere
  Known<std::string> run_id{};
  Known<int> restart{0};
  Known<std::string> network{};  // interface by which others reach it; "": by which it reaches rank 0
  Known<std::string> transport{"sockets"};  // what carries the bytes
  Known<std::string> error_file{};          // where the error goes that ends this process; "": nowhere
  Known<int> watched{0};                    // 1: rank 0 looks at what the others record while they do
  Known<int> store_socket{-1};              // of rank 0: a descriptor that listens at `port` already

  RunName run() const { return {run_id.value, size.value, restart.value}; }
};

Launch resolve(const Environment& environment, const LaunchFlags& flags = {});

// "node[1,08-10],gpu3" -> node1, node08, node09, node10, gpu3. UsageError for what is no such list.
std::vector<std::string> hosts_of_slurm(const std::string& list);

// What torchrun reads of a process that failed. Where another rank is to blame (blamed >= 0) the time is
// later than any at which torchrun can find that rank gone: its summary takes the earliest for the cause.
// Does nothing without a file.
void write_error_file(const Launch& launch, const std::string& message, int blamed);

}  // namespace ringside::inline launch
