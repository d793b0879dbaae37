// What all nodes of a parameter server know before they start: the keys and how they are cut into ranges, the
// rule of each group of keys, the number of copies, and the times.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "ringside/comm/endpoint.h"
#include "ringside/optim/optimizer.h"
#include "ringside/parameter_server/filters.h"
#include "ringside/parameter_server/observer.h"

namespace ringside::inline ps {

// When a worker in iteration c (from 0) may read. "Clock" is the number of iterations that a worker has
// pushed.
enum class Consistency : uint8_t {
  kBsp,  // all clocks are c: the gradients of an iteration are added up in rank order and applied once
  kSsp,  // all clocks are at least c - s, its own is c (Ho et al., NIPS 2013); gradients are applied as they
         // come
  kAsp   // always
};

// Keys [begin, end), one fp32 value each.
struct KeyGroup {
  std::string name = "all";
  uint64_t begin = 0, end = 0;
  Consistency consistency = Consistency::kBsp;
  int64_t staleness = 0;  // s, of kSsp
  OptimizerConfig optimizer = {.name = "sgd",
                               .values = {{"momentum", 0}, {"weight_decay", 0}}};  // elementwise
  double learning_rate = 0.1;
  float gradient_scale = 1;  // 1 / samples, where workers push sums
  Filters filters = {};
};

struct KeyRange {
  uint32_t id = 0;
  uint64_t begin = 0, end = 0;
  size_t group = 0;
  size_t size() const { return end - begin; }
};

// All in ns. A server may serve for `lease` after a heartbeat that the scheduler answered, and counts as dead
// `dead` after its last one: dead > lease, so no other serves its ranges while it may.
struct Deadlines {
  int64_t heartbeat_ns = 25'000'000;
  int64_t lease_ns = 250'000'000;
  int64_t dead_ns = 300'000'000;
  // So long a range waits for a copy that may come back, and the first table for nodes that have not come.
  int64_t give_up_ns = 2'000'000'000;
  int64_t resend_ns = 10'000'000;  // of what nobody has answered; doubled each time, 8 times at most
};

struct Cluster {
  std::vector<KeyGroup> groups = {};
  uint32_t ranges = 8;                // of each group
  uint32_t backups = 1;               // k: copies beside the head's
  uint32_t servers = 1, workers = 1;  // that the scheduler waits for, give_up at most
  uint64_t world = 1;
  Deadlines timing = {};
  std::function<float(uint64_t key)> initial = [](uint64_t) { return 0.0F; };
  Observer* observer = nullptr;  // hears what nodes do; null: nobody
};

std::vector<KeyRange> ranges_of(
    const Cluster& cluster);  // sorted by key; UsageError for a cluster that cannot be

}  // namespace ringside::inline ps
