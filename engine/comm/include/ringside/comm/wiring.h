// What connects the ranks of a run: it makes the transports of their groups. Ranks that are threads are
// connected by the World itself. Whoever connects processes (demos/processes: Unix sockets) derives from
// ProcessWiring and from Transport, and needs no other part of the engine.
#pragma once

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "ringside/comm/transport.h"

namespace ringside {

// Safe from any rank's thread.
class Wiring {
 public:
  virtual ~Wiring() = default;
  // The end of ranks[place] in the group of that name over those ranks; the same group for all who ask.
  virtual std::unique_ptr<Transport> connect(const std::string& name, const std::vector<int>& ranks,
                                             int place) = 0;
  // Breaks off every group that `rank` is in, those too that others make later.
  virtual void abort(int rank, const Failure& failure) = 0;
  // A rank has been blocked for a moment: breaks the groups off where it closes a cycle of waits. Where the
  // records of other ranks are out of sight this does nothing, and a cycle lasts until a deadline.
  virtual void look_for_cycle() {}
};

// Of a process that is one rank of a run.
class ProcessWiring : public Wiring {
 public:
  virtual int rank() const = 0;
  virtual int size() const = 0;  // ranks of the run
};

inline bool holds(const std::vector<int>& ranks, int rank) {
  return std::find(ranks.begin(), ranks.end(), rank) != ranks.end();
}

}  // namespace ringside
