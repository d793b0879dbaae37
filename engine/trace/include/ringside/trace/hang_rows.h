// What a training that was watched records of its end (train/watched.h), in its section: attributes, and
// rows that are recorded when it is over.
#pragma once

#include "ringside/trace/rows.h"

namespace ringside::inline trace {

inline constexpr char kDeadlineMs[] = "deadline_ms";                 // of a collective of dp
inline constexpr char kDefaultDeadlineMs[] = "default_deadline_ms";  // of one of the group default
inline constexpr char kEnded[] = "ended";  // once it has: completed, timeout, mismatch, peer_lost, ...
// From the first entry into the stuck collective to the last end.
inline constexpr char kEndedMs[] = "ended_after_ms";
inline constexpr char kShownLog[] = "shown_log";  // one line of one rank
inline constexpr char kStuck[] = "stuck";         // "dp#45": the collective of that line
inline constexpr char kMissing[] = "missing";     // "0,1,2": ranks that did not call it
inline constexpr char kSentence[] = "sentence";   // the merged report in one sentence
inline constexpr char kSuspects[] = "suspects";   // of the merged report: "3"
inline constexpr char kStuckElements[] = "stuck_elements", kStuckTag[] = "stuck_tag", kStuckOp[] = "stuck_op";

// One rank waits in a call of a group for another. Where the waits close a cycle, those of the cycle, in its
// order; else those in the collective of the log line.
struct RankWait {
  static constexpr Columns kTable{"waits", "rank", "group", "call", "for rank"};
  int64_t rank = 0;      // that waits
  std::string group;     // of the call
  int64_t call = 0;      // its number in the group
  int64_t for_rank = 0;  // that is not in it
};

// What is left of one rank.
struct LastOfRank {
  static constexpr Columns kTable{"last of ranks", "rank", "log", "did last", "dumped"};
  int64_t rank = 0;
  std::string log = "";       // what it printed last; "" where nothing
  std::string did_last = "";  // of the merged report
  bool dumped = true;         // no: it left no dump
};

struct StackOfRank {  // of one that was alive, where something is stuck
  static constexpr Columns kTable{"stacks", "rank", "stack"};
  int64_t rank = 0;
  std::string stack = "";  // half a deadline after the stuck call was made: "rank 0: save checkpoint"
};

// A call that a planned fault struck and that was made all the same: other contents, another size or type.
struct StruckCall {
  static constexpr Columns kTable{"struck calls", "rank", "group", "call", "what"};
  int64_t rank = 0;        // that the fault was planned for
  std::string group = "";  // of the call
  int64_t call = 0;        // its number in the group
  std::string what = "";   // the fault's kind: "other_tensor"
};

}  // namespace ringside::inline trace
