// The command line of `ringside ps`.
#pragma once

#include <cstdint>
#include <string>

#include "ps_simulate_options.h"

namespace CLI {
class App;
}

namespace ringside {

enum class PsKind { kNode, kSimulate };

// All but role, addresses, rank, clocks and file must be the same for all nodes of a run: they are its world.
struct PsNodeOptions {
  std::string role;  // scheduler, server, worker
  std::string scheduler, listen = "tcp://127.0.0.1:*";
  std::string file;      // of the scheduler: its table
  uint32_t rank = 0;     // of a worker
  int64_t clocks = 0;    // of a worker; 0: until it is stopped
  int64_t every = 1000;  // ms between two lines
  std::string run = "ringside";
  uint32_t servers = 2, workers = 1, backups = 1, ranges = 8;
  uint64_t keys = 65536;
  int64_t staleness = 2;
  int64_t dead = 300;  // ms
};

struct PsOptions {
  PsKind kind = PsKind::kNode;
  PsNodeOptions node;
  PsSimulateOptions simulate = {};
};

void add_ps_options(CLI::App& command, PsOptions& options);
void finish_ps_options(const CLI::App& command, PsOptions& options);  // UsageError

}  // namespace ringside
