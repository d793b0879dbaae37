// What the nodes of a parameter server say of themselves while they run: for a trace (recording.h), a
// picture, a test. A node calls its cluster's observer on its own thread, and goes on when the call is over.
#pragma once

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
  return static_cast<int64_t>(array.size() * sizeof(T));
}

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

}  // namespace ringside::inline ps
