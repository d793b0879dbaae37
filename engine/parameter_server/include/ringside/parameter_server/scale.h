// More workers and servers than one machine has: the same nodes on the virtual clock, with the costs of a
// message as they were measured (calibration.h) and a link model. Sparse logistic regression is trained in
// earnest, so a time to a loss is that of the values on the servers; what a worker computes takes `sample_s`
// of virtual time a sample. Every figure is simulated.
//
// The samples of an iteration are divided among the workers (strong scaling): W workers have batch / W each.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "ringside/comm/link_model.h"
#include "ringside/parameter_server/logistic.h"
#include "ringside/parameter_server/simulated_network.h"

namespace ringside::inline ps {

struct ScaleSetup {
  uint32_t workers = 10, servers = 1, backups = 0;
  uint32_t ranges_per_server = 2;
  Consistency consistency = Consistency::kBsp;
  int64_t staleness = 0;
  Filters filters = {};

  std::shared_ptr<const Samples> samples = {};
  uint64_t keys = 0;
  int64_t batch = 10'000;  // samples of an iteration, of all workers; as many as workers at least
  double learning_rate = 2;
  double sample_s = 1e-3;                        // compute time
  double straggling = 0, straggling_factor = 4;  // of the iterations, as in stragglers.h
  int64_t most_clocks = 30;
  double target_loss = 0;  // the run ends there; 0: after most_clocks

  LinkModel link = {};  // of each node; none: no limit and no latency
  Handling server = {}, worker = {};
  uint64_t seed = 1;
  std::function<bool()> cancelled = {};  // asked at each event; it ends with CancelledError
};

// How busy the busiest node of a kind was, of the time that was measured: 0 to 1.
struct ResourceLoad {
  std::string resource;  // "server processor", "server link in", ...
  double load = 0;
};

struct ScaleResult {
  double iterations_per_s = 0;               // of a worker
  double samples_per_s = 0;                  // of all workers
  double seconds = 0, seconds_to_loss = -1;  // since the first iteration began; -1: it was not reached
  double loss = 0;
  double waiting = 0;                    // of the workers' time that was measured: what is not computing
  std::vector<ResourceLoad> loads = {};  // the busiest first
  int64_t clocks = 0, packets = 0, bytes = 0, events = 0;
  double real_seconds = 0;  // that the simulation took
};

void check_scale(const ScaleSetup& setup);            // UsageError for what cannot be
ScaleResult simulate_scale(const ScaleSetup& setup);  // the same

}  // namespace ringside::inline ps
