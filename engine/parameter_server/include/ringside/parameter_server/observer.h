// What the nodes of a parameter server say of themselves while they run: for a trace (recording.h), a
// picture, a test. A node calls its cluster's observer on its own thread, and goes on when the call is over.
#pragma once

#include "ringside/parameter_server/messages.h"

namespace ringside::ps {

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

class Observer {
 public:
  virtual ~Observer() = default;
  virtual void read(const ReadDone&) {}
  virtual void pushes(const PushBegun&) {}
  virtual void done(NodeId) {}             // a worker, with all of its iterations
  virtual void published(const Table&) {}  // by the scheduler
  virtual void lost(const RangeLoss&) {}   // by the scheduler
};

}  // namespace ringside::ps
