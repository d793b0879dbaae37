// What connects the ranks of a run: it makes the transports of their groups. A World connects ranks that are
// threads itself. Processes need a Channel between every two (channel.h); a library with collectives of its
// own derives from ProcessWiring and from Transport.
#pragma once

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "ringside/comm/transport.h"

namespace ringside::inline flight {
class FlightRecorder;
}  // namespace ringside::inline flight

namespace ringside::inline comm {

// Safe from any rank's thread.
class Wiring {
 public:
  virtual ~Wiring() = default;
  // The end of ranks[place] in the group of that name over those ranks; the same group for all who ask.
  virtual std::unique_ptr<Transport> connect(const std::string& name, const std::vector<int>& ranks,
                                             int place) = 0;
  // Breaks off every group that `rank` is in, those too that others make later.
  virtual void abort(int rank, const Failure& failure) = 0;
  // A rank has been blocked for a moment: breaks the groups off where it closes a cycle of waits. Processes
  // ask each other first, and the call returns before that. A wiring that cannot see other ranks' records
  // does nothing, and a cycle lasts until a deadline.
  virtual void look_for_cycle() {}
};

// Of a process that is one rank of a run.
class ProcessWiring : public Wiring {
 public:
  virtual int rank() const = 0;
  virtual int size() const = 0;  // ranks of the run
  virtual bool reaches(Device device) const { return device == Device::kCpu; }  // memory of it
  // What the other ranks may look at to find a cycle of waits, from the beginning of a run to its end.
  // prefix: of the names that this run gives its groups here; runs of one prefix follow one another.
  virtual void show(const FlightRecorder& flight, const std::string& prefix = "") {}
  virtual void hide(const FlightRecorder& flight) {}
  // Outside of the groups, and so also where these are broken: what each rank says, and who is to blame that
  // some have said nothing by the deadline. All ranks call it equally often, one after the other.
  struct Shared {
    std::vector<std::string> said{};  // (rank) "" of one that has said nothing; empty: this wiring cannot
    std::vector<int> silent{};        // ranks that are gone
    std::vector<int> late{};          // ranks that are there, and have not said all
  };
  virtual Shared share(const std::string& own, TimePoint deadline) { return {}; }
  // What ranks record of a run that is under way, for one that is watched and is rank 0. Safe from any
  // thread.
  class Live {
   public:
    virtual ~Live() = default;
    virtual void post(const std::string& part) = 0;         // another rank than 0
    virtual std::optional<std::string> next(int rank) = 0;  // rank 0: of that rank, where it has come
  };
  // Null where nobody watches. All ranks call it equally often, for each prefix (as of show()).
  virtual std::unique_ptr<Live> live(const std::string& prefix = "") { return nullptr; }
  // To be added to a time of that rank's clock, so that it is one of this process's.
  virtual int64_t clock_shift_ns(int rank) const { return 0; }
};

// For a run of that many ranks: the process where there are as many, else null, as its ranks are threads
// then.
inline std::shared_ptr<ProcessWiring> for_ranks(const std::shared_ptr<ProcessWiring>& process, int ranks) {
  return process != nullptr && process->size() == ranks ? process : nullptr;
}

// Ranks as threads of one process. A call meets its peers at a rendezvous, a condition variable with a
// deadline; the last to arrive compares the records; then each rank copies straight out of the others'
// buffers.
//
// All-reduce is direct, in rank order: rank r reads its chunk of every peer's buffer, 0 .. N-1, adds in fp32
// and rounds once; then it reads the other chunks from their owners. Chunk r of n elements: [r n / N, (r+1) n
// / N). Results do not depend on timing. The ring, in collectives/ring.h, is deterministic too but adds in
// another order.
//
// Sends and receives meet two by two, first in, first out per direction. A send completes when its peer has
// copied its buffer.
//
// flights: (rank) whose newest calls are looked at for a cycle of waits over several groups.
std::unique_ptr<Wiring> make_thread_wiring(std::vector<FlightRecorder*> flights);

inline bool holds(const std::vector<int>& ranks, int rank) {
  return std::ranges::find(ranks, rank) != ranks.end();
}

}  // namespace ringside::inline comm
