// Workers of uneven speed, simulated: how long they wait for each other under a rule of consistency, and how
// long a training takes to a loss. The paper's figure: no staleness 50 % idle, 16 iterations 1.7 % (Li et
// al., OSDI 2014, figure 13).
//
// An iteration of a worker takes `compute_ns`, and with this probability `straggling_factor` times as long;
// each is drawn independently. Worker 0 may be slow always.
#pragma once

#include <memory>

#include "ringside/parameter_server/logistic.h"
#include "ringside/parameter_server/simulated_cluster.h"

namespace ringside::inline ps {

struct StragglerConfig {
  uint32_t workers = 8, servers = 2;
  Consistency consistency = Consistency::kSsp;
  int64_t staleness = 0;
  int64_t clocks = 800;
  int64_t compute_ns = 100'000'000;
  double straggling = 0.1, straggling_factor = 4;
  double slow_factor = 1;  // of worker 0, always
  OptimizerConfig optimizer = KeyGroup().optimizer;
  double learning_rate = 0.5;
  int64_t batch = 16;
  double target_loss = 0;  // the training ends there; 0: after `clocks`
  uint64_t seed = 1;
};

// What the iteration `clock` of that worker takes.
int64_t iteration_ns(const StragglerConfig& config, uint32_t rank, int64_t clock);

struct LossAt {
  double seconds = 0, loss = 0;  // simulated; over all samples
};

struct StragglerResult {
  double idle = 0;              // of the workers' time, until the first is done
  double seconds = 0;           // simulated, from the first table until then
  double seconds_to_loss = -1;  // simulated; -1: never
  double loss = 0;
  std::vector<LossAt> losses = {};  // every 0.1 s
  int64_t iterations = 0;           // of all workers
};

StragglerResult run_stragglers(const StragglerConfig& config, const std::shared_ptr<const Samples>& samples,
                               uint64_t keys);

}  // namespace ringside::inline ps
