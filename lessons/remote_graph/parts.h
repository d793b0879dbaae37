// What the lesson records: gradients of a graph that crosses ranks, and a send whose gradient never comes.
#pragma once

#include "ringside/lesson/lesson_kit.h"

namespace ringside::lessons::remote_graph {

inline constexpr char kAcross[] = "one graph over the ranks";  // a section; the others: "a value aside, FAST"
// Ways of DeadRow.
inline constexpr char kWalked[] = "graph walked", kFast[] = "FAST";

struct AcrossRow {  // of the gradients of a graph that crosses ranks
  static constexpr Columns kTable{"across", "ranks", "same", "in grad"};
  int64_t ranks = 0;
  int64_t same = 0;     // with the bits of one process
  int64_t in_grad = 0;  // of ranks whose weight has a .grad
};
struct DeadRow {  // rank 0 sent a value that does not reach the loss
  static constexpr Columns kTable{"dead",     "way",  "deadline", "ms",   "sender",
                                  "receiver", "what", "error",    "named"};
  std::string way;
  double deadline = 0, ms = NAN;  // until the error came, in ms
  int64_t sender = -1, receiver = -1;
  std::string what = {}, error = {}, named = {};  // "": there was none; named: who sent it, or else the error
};

void run(const Config& config, const RunContext& context);
Lesson make_lesson();

}  // namespace ringside::lessons::remote_graph
