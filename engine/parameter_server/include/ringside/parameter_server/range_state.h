// One range of keys: its values, the optimizer's state, the clock of each worker, and what of each worker was
// applied. It changes by apply() alone, so copies that apply the same operations in the same order are equal,
// bit for bit.
#pragma once

#include <map>

#include "ringside/parameter_server/cluster.h"
#include "ringside/parameter_server/messages.h"

namespace ringside::inline ps {

// FrameError where it is no operation of this range.
void check_operation(const Operation& operation, const KeyRange& range);
// FrameError where keys are not rising and of the range, or not as many as values.
void check_keys(const KeyedValues& values, const KeyRange& range);
void check_keys(const std::vector<uint64_t>& keys, const KeyRange& range);

class RangeState {
 public:
  RangeState(const Cluster& cluster, const KeyRange& range);  // initial values, no members

  void apply(const Operation& operation);

  uint64_t index() const { return index_; }  // of the last operation
  uint64_t members_version() const { return members_version_; }
  bool is_member(NodeId worker) const { return known(worker).is_member; }
  bool knows(NodeId worker) const { return workers_.contains(worker); }
  // Of the last push that was applied, 0 before the first; and of the operation that carried it.
  uint64_t sequence_of(NodeId worker) const { return known(worker).sequence; }
  uint64_t index_of(NodeId worker) const { return known(worker).index; }
  int64_t clock_of(NodeId worker) const { return known(worker).clock; }
  int64_t oldest_clock() const;  // of the members; the newest where nobody is waited for
  // Whether this worker in its iteration `clock` may read what is here.
  bool may_read(NodeId worker, int64_t clock) const;

  const std::vector<float>& values() const { return values_; }
  const KeyRange& range() const { return range_; }
  void add_to(NodeMemory& memory) const;

  Bytes save() const;
  void load(const Bytes& bytes);  // FrameError where it is not of this range; the state is then of no use

 private:
  struct WorkerClock {
    NodeId worker = 0;
    uint32_t rank = 0;
    bool is_member = true;
    int64_t clock = 0;
    uint64_t sequence = 0, index = 0;
  };
  // A gradient that waits until all members have pushed theirs of the same clock (BSP).
  struct Waiting {
    int64_t clock = 0;
    uint32_t rank = 0;
    NodeId worker = 0;
    KeyedValues gradient = {};
  };
  const WorkerClock& known(NodeId worker) const;
  bool waits_for_anyone() const { return !members_at_.empty(); }
  void set_members(const Operation& operation);
  void count_clocks();
  void advance(WorkerClock& worker, int64_t clock);
  void push(const Operation& operation);
  void apply_complete_clocks();
  void update(const std::vector<const KeyedValues*>& gradients);
  void update_elements(std::vector<float>& gradient, const std::vector<size_t>& places);

  KeyRange range_;
  KeyGroup group_;
  Optimizer optimizer_;
  uint64_t index_ = 0, members_version_ = 0;
  int64_t updates_ = 0, applied_clock_ = 0;  // BSP: clocks below are applied
  std::map<NodeId, WorkerClock> workers_;    // those that left too: their pushes may still arrive twice
  std::map<int64_t, int64_t> members_at_;    // members by clock, without those at kNoClock
  int64_t newest_ = 0;                       // clock of anyone
  std::vector<Waiting> waiting_;
  std::vector<float> values_;              // (n)
  std::vector<std::vector<float>> state_;  // (n) each, as the optimizer declares it
};

}  // namespace ringside::inline ps
