// What all nodes of a parameter server know before they start: the keys and how they are cut into ranges, the
// rule of each group of keys, the number of copies, and the times; and what they tell while they run.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "ringside/comm/endpoint.h"
#include "ringside/optim/optimizer.h"
#include "ringside/parameter_server/filters.h"
#include "ringside/parameter_server/messages.h"

namespace ringside::inline ps {

struct RangeLoss;

// A worker has the values for its iteration `clock`.
struct ReadDone {
  NodeId worker = 0;
  uint32_t rank = 0;
  int64_t clock = 0;
  int64_t oldest = 0;  // the slowest member's clock in what was read, over all ranges
  int64_t asked_ns = 0, time_ns = 0;
  int64_t staleness() const { return clock > oldest ? clock - oldest : 0; }
};

// A worker has computed the gradients of an iteration, and pushes them now.
struct PushBegun {
  NodeId worker = 0;
  uint32_t rank = 0;
  int64_t clock = 0;
  int64_t computes_since_ns = 0, time_ns = 0;
};

// Bytes that the arrays of a server or a worker take now, by what they are for. Frames on their way and what
// a node knows beside numbers, such as the table, are not among them.
struct NodeMemory {
  NodeId node = 0;
  int64_t parameters = 0;  // of a worker: those that it read
  int64_t gradients = 0;   // that wait for others of their clock; of a worker: until they are acknowledged
  int64_t optimizer = 0;
  int64_t buffers = 0;  // operations that the next copy lacks, answers that wait, keys of a worker's calls
  int64_t copied = 0;   // of parameters and optimizer: in ranges that another server owns
  int64_t total() const { return parameters + gradients + optimizer + buffers; }
  bool operator==(const NodeMemory&) const = default;
};
template <typename T>
int64_t bytes_in(const std::vector<T>& array) {
  return int64_t(array.size() * sizeof(T));
}

// What the nodes of a parameter server say of themselves while they run: for a trace (recording.h), a
// picture, a test. A node calls its cluster's observer on its own thread, and goes on when the call is over.
class Observer {
 public:
  virtual ~Observer() = default;
  virtual void read(const ReadDone&) {}
  virtual void pushes(const PushBegun&) {}
  virtual void holds(const NodeMemory&) {}  // whenever it changes
  virtual void done(NodeId) {}              // a worker, with all of its iterations
  virtual void published(const Table&) {}   // by the scheduler
  virtual void lost(const RangeLoss&) {}    // by the scheduler
};

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

// Sorted by key. UsageError for a cluster that cannot be, also where a range's messages would be too large.
std::vector<KeyRange> ranges_of(const Cluster& cluster);

}  // namespace ringside::inline ps
