// How a hang is attributed.
//
// Calls brings together what the ranks recorded of one call. A call is known by its lane and its number
// alone, so ranks that called different things under one number meet in one Call. A call is stuck where it
// has not completed on some rank, and needed ranks that never called it are missing. Calls of a lane are
// carried out in order, so only the first stuck one is a cause, a head; those behind it queue. A rank that
// one head misses may wait in another head itself: such waits can close a cycle. `decide` weighs what was
// found.
//
// Who votes. Of ranks that disagree on a call, those that called it. Of a call that a rank is absent from,
// those that wait in that call. Of a cycle of waits, those whose order is in dispute: they are in both
// groups, wait in a call of one, and are missed by the other (Side). A rank that is in one of two groups
// alone says nothing of their order. Where these votes are equal, what each rank did in the rounds before,
// and what a group of the same shape did, may tell (odd_side). Where nothing tells, all sides are possible,
// and the report says so.
//
// The two ends of a message always have as many votes. Where they carry different things, those that follow
// may tell which end left a call out (message_left_out).
#pragma once

#include <compare>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "ringside/flight/report.h"

namespace ringside::inline flight {

using Ranks = std::vector<int>;  // of the world; ascending, but for those of a group

// A sequence of numbered calls: a group's collectives, or what one rank of it sends to another.
struct Lane {
  size_t group = 0;  // in Calls::groups
  int from = -1, to = -1;
  bool p2p() const { return from >= 0; }
  auto operator<=>(const Lane&) const = default;
};

struct Call {
  Lane lane;
  int64_t seq = 0;
  int64_t created_ns = INT64_MAX;             // by the first rank
  std::map<int, const FlightEntry*> by_rank;  // who called it, as far as the rings still hold it
  Ranks waiting;                              // on whom of these it has not completed
  // Calls::find_missing fills these in.
  Ranks missing;        // needed, and never called it or left no dump
  Ranks overwritten;    // called it so long ago that the ring has forgotten
  bool unsure = false;  // a missing rank may have called it: its ring holds nothing of this lane
  bool stuck() const { return !waiting.empty(); }
  Ranks callers() const;
};

// Points into the dumps, which outlive it.
class Calls {
 public:
  explicit Calls(const std::vector<FlightDump>& dumps);

  std::vector<FlightGroup> groups;  // named "tp", or "tp [2, 3]" where several have that name
  Ranks ranks;                      // of every group
  Ranks dumped;                     // who left a dump
  std::map<int, const FlightDump*> dumps;
  std::vector<Call> calls;  // by lane, then by seq
  int64_t latest_ns = 0;    // of all that the dumps tell

  size_t group_of(int rank, const std::string& name) const { return group_index_.at({rank, name}); }
  Lane lane_of(int rank, const FlightEntry& entry) const;
  std::string name_of(const Lane& lane) const;                  // "dp", "dp 0->1"
  int peer_of(int rank, const FlightEntry& entry) const;        // as a rank of the world
  FlightEntry shown(int rank, const FlightEntry& entry) const;  // group and peer as in a report
  void find_missing(Call& call) const;                          // of a stuck call; once
  bool gone(int rank) const { return !dumps.contains(rank); }

 private:
  void add_groups();
  void add_undeclared_groups();
  void add_calls();

  std::map<std::pair<int, std::string>, size_t> group_index_;  // by rank and name
  std::map<std::pair<int, Lane>, int64_t> oldest_;             // the oldest number that the rank's ring holds
};

// Whether the ranks that are in one call agree.
struct Agreement {
  MatchState state = MatchState::kFullyMatched;  // or the gravest of the three mismatches
  Ranks disagreeing;                             // all that differ from the most frequent kind
  int majority = -1;                             // the lowest rank of that kind; -1 where nobody is in it
  bool tie = false;                              // another kind is as frequent; the lowest rank's counted
};
// In operation, sizes, root and element type. Sizes of an uneven all-to-all may differ.
Agreement agreement_in_kind(const Call& call);
// In what they carry: tag and unit. A rank that names neither says nothing. The state stays fully matched.
Agreement agreement_in_contents(const Call& call);

enum class Habit : uint8_t { kUnknown, kKept, kBroken };

struct Evidence {
  std::vector<const Call*> heads;     // the first stuck call of each lane; the oldest first
  std::vector<const Call*> cycle;     // of the heads: each misses ranks that wait in the next one
  std::vector<const Call*> settling;  // completed on some ranks, so it completes on the others next: no cause
  const Call* mispaired = nullptr;    // FlightReport::mispaired
};

// Where nobody listens to what the ranks `unheard` wait in; empty: there is none.
std::vector<const Call*> shortest_cycle(const Calls& calls, const std::vector<const Call*>& heads,
                                        const Ranks& unheard = {});
std::vector<Wait> waits_of(const Calls& calls, const std::vector<const Call*>& cycle);

// Ranks that wait in one call and that another one misses, against the other sides.
struct Side {
  Ranks ranks;
  const Call* in = nullptr;
  const Call* missed = nullptr;
};
// The sides of evidence.cycle that may be wrong: without one of them no cycle at all is left. The fewest
// ranks alone. Where one rank did otherwise than all others, it is one of these.
std::vector<Side> possible_sides(const Calls& calls, const Evidence& evidence);

// The side whose ranks left out a call that they should have made, by what was done before. Null: it does not
// tell.
struct OddSide {
  const Side* side = nullptr;
  const char* which = "";  // "that it made in the rounds before"
};
OddSide odd_side(const Calls& calls, const std::vector<Side>& sides);

// Of a message whose ends disagree: from there on what one end has is what the other has one call later, as
// far as both go. The end that is ahead left a call out. None: that is so of neither, of both, or nothing
// follows.
struct LeftOut {
  int rank = -1;
  const FlightEntry* message = nullptr;  // as the other end called it
};
std::optional<LeftOut> message_left_out(const Calls& calls, const Call& call);

// Of sides that wait in messages: the one that left one out, by what each did of every unit before. Null: it
// does not tell.
const Side* odd_side_by_messages(const Calls& calls, const std::vector<Side>& sides);

std::vector<RankStory> tell_stories(const Calls& calls);
// Fills in suspects, possible, how sure it is, and the sentence of a report that has all the rest.
void decide(const Calls& calls, const Evidence& evidence, FlightReport& report);

// Those of `ranks` that are, or are not, in `others`.
Ranks common(const Ranks& ranks, const Ranks& others);
Ranks without(const Ranks& ranks, const Ranks& others);

}  // namespace ringside::inline flight
