// The words behind `ringside ps simulate`.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace ringside {

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

void add_ps_simulate_options(CLI::App& command, PsSimulateOptions& options);

}  // namespace ringside
