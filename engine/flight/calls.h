// The dumps of all ranks by call: who called which collective of which group, and who did not.
#pragma once

#include <compare>
#include <map>
#include <string>
#include <vector>

#include "ringside/flight/dump.h"

namespace ringside::flight {

// A stretch of calls that are carried out one after the other: a group's collectives, or what one rank of
// it sends to another.
struct Lane {
  size_t group = 0;  // in Calls::groups
  int from = -1, to = -1;
  bool p2p() const { return from >= 0; }
  auto operator<=>(const Lane&) const = default;
};

struct Call {
  Lane lane;
  int64_t seq = 0;
  std::map<int, const FlightEntry*> by_rank;  // who called it, as far as the rings still hold it
  std::vector<int> waiting;                   // of these: it has not completed on them
  std::vector<int> missing;      // needed, and did not call it or left no dump; only of a stuck one
  std::vector<int> overwritten;  // called it so long ago that the ring has forgotten
  bool unsure = false;           // a missing rank's ring holds nothing of this lane: it may have been called
  bool skipped = false;          // queues behind so many others that nobody asked who is missing
  bool stuck() const { return !waiting.empty(); }
  int64_t created_ns() const;  // first
};

struct Group {
  std::string name;  // "tp", or "tp [2, 3]" where several have that name
  std::vector<int> ranks;
};

// Points into the dumps, which outlive it.
struct Calls {
  explicit Calls(const std::vector<FlightDump>& dumps);

  std::vector<Group> groups;
  std::vector<int> ranks;  // of every group, ascending
  std::map<int, const FlightDump*> dumps;
  std::vector<Call> calls;  // by lane, then by seq
  int64_t latest_ns = 0;    // of all that the dumps tell

  size_t group_of(int rank, const std::string& name) const { return group_index_.at({rank, name}); }
  FlightEntry shown(int rank, const FlightEntry& entry) const;  // group and peer as in a report
  bool gone(int rank) const { return !dumps.contains(rank); }

 private:
  void add_groups();
  void add_undeclared_groups();
  void add_calls();
  void find_missing();
  void find_missing(Call& call) const;
  Lane lane_of(int rank, const FlightEntry& entry) const;
  // Of the calls that a ring holds, the oldest number by rank and lane.
  std::map<std::pair<int, Lane>, int64_t> oldest_;
  std::map<std::pair<int, std::string>, size_t> group_index_;  // by rank and name
};

}  // namespace ringside::flight
