// A report merges the dumps of all ranks: which collective has not completed, who is in it, who is not, and
// what those did last. It is a pure function of the dumps.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "ringside/flight/dump.h"

namespace ringside::inline flight {

// What is wrong with a call, in the names of torchfrtrace.
enum class MatchState : uint8_t {
  kFullyMatched,             // every collective that was begun has all its ranks and agrees
  kCollectiveStateMismatch,  // some ranks called it, others never did: they are missing
  kCollectiveTypeMismatch,   // ranks called different operations under one number
  kSizeOrSyntaxMismatch,     // different sizes or roots
  kCollectiveDtypeMismatch,  // different element types
  kUndecided                 // too little is left to tell
};
std::string_view to_string(MatchState state);  // "COLLECTIVE_STATE_MISMATCH"

// One collective (group, seq), or one send with its recv, that at least one rank called and that has not
// completed. Here and in RankStory a call's peer is a rank of the world, and its group is named as in
// FlightReport::groups.
struct StuckCollective {
  MatchState state = MatchState::kUndecided;
  FlightEntry call;              // as the majority of those in it called it
  std::vector<int> in_it;        // called it, or something under its number
  std::vector<int> missing;      // never called it; a rank that left no dump may have
  std::vector<int> disagreeing;  // called something else under its number; empty where none
  int64_t waited_ns = 0;         // by the rank that waits longest, until the latest event in any dump
  bool queued = false;           // an earlier one of its group is stuck too: this is no cause
};

// What one rank was about.
struct RankStory {
  int rank = 0;
  bool dumped = false;                           // where it left no dump, it is gone
  std::optional<FlightEntry> waits_in;           // its oldest call that has not completed
  std::optional<FlightEntry> last_completed;     // in any group
  std::vector<int64_t> last_seq_completed = {};  // by group, in the order of FlightReport::groups; -1 none
  std::vector<int64_t> last_seq_scheduled = {};  // likewise
  std::string did_last;  // "completed default #9 all_gather of 40 float32 (evaluation logits), 1.5 s ago"
};

// Ranks `from` wait in a call for ranks `on`.
struct Wait {
  std::vector<int> from;
  std::string group;  // of a send and recv: "dp 0->1"
  int64_t seq = 0;
  std::vector<int> on;
};

// What the suspects of a report are told from. Habit and majority are rules of thumb, no proof.
enum class Grounds : uint8_t {
  kNone,      // also where as many are on each side, or where a wrong pairing may have begun earlier
  kHabit,     // as many are on each side, but the suspects left out what they did in the rounds before, or
              // what a group of the same shape did, and all others went on as before; or, of two that send
              // and receive, what follows agrees as if they had left one out
  kMajority,  // more ranks did otherwise than the suspects did; where rank 0 alone is right, seven outvote it
  kKnown      // a rank is gone, or said itself what happened to it
};

struct FlightReport {
  std::vector<std::string> groups;  // by name; with the ranks, "tp [2, 3]", where several share a name
  // The longest wait first. Calls that only queue behind others come last, at most 200 of them. Empty:
  // nothing hangs.
  std::vector<StuckCollective> stuck;
  std::vector<RankStory> ranks;  // every rank of every group, in order
  std::vector<Wait> cycle;       // each waits for the next, and the last for the first; empty: no cycle
  // The first call that was paired wrongly in silence: its ranks carry different things (tag, unit), though
  // they agree in all that a fingerprint holds; or they disagree, and it went on all the same.
  std::optional<StuckCollective> mispaired;
  // Whom the evidence points at: ranks that are gone, missing or disagree, or the fewest of a cycle. Empty
  // where it cannot be told.
  std::vector<int> suspects;
  // Where ranks contradict each other and it cannot be told who is wrong: one of these.
  std::vector<int> possible;
  Grounds grounds = Grounds::kNone;
  std::string sentence;                   // the whole of it in one sentence
  std::vector<std::vector<int>> members;  // of each group
};

FlightReport merge_flights(const std::vector<FlightDump>& dumps);
// Looks for a cycle of waits among live ranks, from their FlightRecorder::look. Only a rank whose own thread
// is blocked in a call waits in it. Fills in `cycle`, which stays empty where there is none, and of a cycle
// `suspects`, `possible`, how sure that is, and `sentence`.
FlightReport find_live_cycle(const std::vector<FlightDump>& looks);
std::string report_text(const FlightReport& report);  // for a terminal, some 10 to 20 lines
std::string report_json(const FlightReport& report);

// As NCCL's watchdog prints it: "[rank6] Watchdog caught collective operation timeout:
// WorkNCCL(SeqNum=56731, OpType=ALLREDUCE, NumelIn=467019003, NumelOut=467019003, Timeout(ms)=600000)"
std::string watchdog_line(int rank, const FlightEntry& entry);

}  // namespace ringside::inline flight
