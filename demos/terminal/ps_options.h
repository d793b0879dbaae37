// The command line of `ringside ps`.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "ringside/base/field.h"

namespace CLI {
class App;
}

namespace ringside {

enum class PsKind { kNode, kSimulate };

struct PsNodeOptions {
  std::string role;  // scheduler, server, worker
  std::string scheduler, listen = "tcp://127.0.0.1:*";
  std::string file;      // of the scheduler: its table
  uint32_t rank = 0;     // of a worker
  int64_t clocks = 0;    // of a worker; 0: until it is stopped
  int64_t every = 1000;  // ms between two lines
  // The same for all nodes of a run: its world.
  std::string run = "ringside";
  uint32_t servers = 2, workers = 1, backups = 1, ranges = 8;
  uint64_t keys = 65536;
  int64_t staleness = 2;
  int64_t dead = 300;  // ms
};

// Those of the world, beside the run's name.
void visit_fields(auto& node, auto&& visit) {
  visit(Field{"servers", "That the first table waits for", "", 1, 1000}, node.servers);
  visit(Field{"workers", "That train", "", 1, 1000}, node.workers);
  visit(Field{"backups", "k: copies of each range beside its head's", "", 0, 2}, node.backups);
  visit(Field{"ranges", "Into which the keys are cut", "", 1, 1000}, node.ranges);
  visit(Field{"keys", "Of fp32 values", "", 1, 1 << 24}, node.keys);
  visit(Field{"staleness", "s of SSP; 0 is BSP's pace", "", 0, 1'000'000}, node.staleness);
  visit(Field{"dead", "Milliseconds of silence after which a node counts as dead", "", 12, 1'000'000},
        node.dead);
}

struct PsSimulateOptions {
  std::vector<uint32_t> workers = {10, 100, 1000}, servers = {1, 4};
  std::string consistency = "bsp";
  int64_t staleness = 4;
  uint32_t backups = 0, ranges = 2;
  std::string link = "100g";
  int64_t batch = 10'000, clocks = 12, fields = 20;
  uint64_t keys = 100'000;
  double straggling = 0.1, straggling_factor = 4;
  double sample_ms = 1, target = 0.5, learning_rate = 2;
  bool key_caching = false;
  std::vector<double> costs = {};  // server: us a message, ns a byte; worker: the same; none: measured now
};

struct PsOptions {
  PsKind kind = PsKind::kNode;
  PsNodeOptions node;
  PsSimulateOptions simulate = {};
};

void add_ps_options(CLI::App& command, PsOptions& options);
void finish_ps_options(const CLI::App& command, PsOptions& options);  // UsageError

}  // namespace ringside
