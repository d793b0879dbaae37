// The collectives of a section by rank, group and sequence number, kept up as they come: a frame looks at
// those it draws, however long the run.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "ringside/trace/trace.h"

namespace ringside::nccl_panel {

enum class CallState : uint8_t { kNotYet, kScheduled, kStarted, kCompleted, kGivenUp };

struct Call {  // of one rank
  int64_t seq = 0, elements = 0;
  int64_t created_ns = 0, started_ns = 0, ended_ns = 0;  // 0: has not
  NameId tag = 0, unit = 0;
  Op op = Op::kBarrier;
  bool failed = false;

  CallState at(int64_t time_ns) const;
  int64_t waited_ns(int64_t time_ns) const;  // from the call on, until it ended
};

class SequenceIndex {
 public:
  void update(const Trace& trace, const SectionView& section);  // another section starts anew

  int ranks() const { return static_cast<int>(calls_.size()); }
  const std::vector<std::string>& groups() const { return groups_; }  // "dp" first, as it is in the contract
  int64_t latest_ns() const { return latest_ns_; }  // of anything recorded, on whatever rank
  // Once one rank has given up, the story is over: what somebody calls after that comes too late, and is
  // not found here.
  bool is_over() const { return over_ns_ != INT64_MAX; }
  const Call* find(int rank, size_t group, int64_t seq) const;
  // The last one called until then; null before the first.
  const Call* last_called(int rank, size_t group, int64_t time_ns) const;
  // The oldest one called and not completed; null where it waits in none.
  const Call* first_open(int rank, size_t group, int64_t time_ns) const;
  const Call* last_completed(int rank, size_t group, int64_t time_ns) const;
  // The highest number called by any of the ranks (one of them, or -1: all); -1 before the first.
  int64_t top(size_t group, int64_t time_ns, int rank = -1) const;

 private:
  using Lane = std::vector<Call>;  // by rising seq, which is the order of the calls
  const Lane* lane(int rank, size_t group) const;
  size_t place_of(const std::string& group);
  void take(const Trace& trace, int rank, const CollectiveEvent& event);

  std::string section_;
  int64_t latest_ns_ = 0, over_ns_ = INT64_MAX;
  std::vector<std::string> groups_;
  std::map<NameId, size_t> places_;       // of the groups
  std::vector<std::vector<Lane>> calls_;  // by rank, then by group
  std::vector<size_t> seen_;              // events, by rank
};

// A collective that some ranks called, and this one did not.
struct Hole {
  int rank = 0;
  size_t group = 0;
  int64_t seq = 0;
  bool never = false;        // nor before the others gave up
  bool first = true;         // of this rank in this group; what lies behind it is only queued
  std::vector<int> waiting;  // who called it
  int64_t since_ns = 0;      // when the first of them did
  int64_t waited_ns = 0;     // by that one
};
// `ended`: the section is over, what was not called by now never will be. The longest waited for first.
std::vector<Hole> holes_at(const SequenceIndex& index, int64_t time_ns, bool ended);

}  // namespace ringside::nccl_panel
