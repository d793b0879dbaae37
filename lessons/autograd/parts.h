// What the lesson records: the hooks of a backward pass, its graph, and another order on one rank.
#pragma once

#include "ringside/lesson/lesson_kit.h"

namespace ringside::lessons::autograd {

inline constexpr char kHooks[] = "hooks";  // a section; the others are "another order, as ready" and the like

// Parameters of the net whose hooks are watched, a bucket each, as they are declared. E embeds and is the
// head too: it is used first and last.
inline constexpr const char* kDeclared[] = {"unused", "E", "A", "B", "C"};

struct FiredRow {  // a hook of AccumulateGrad was called
  static constexpr Columns kTable{"fired",     "rank",     "parameter", "order",
                                  "first use", "last use", "in caller"};
  int64_t rank = 0;
  std::string parameter;
  int64_t order = 0;                    // from 1
  int64_t first_use = 0, last_use = 0;  // in forward
  bool in_caller = false;               // on the thread that called backward
};
// Cases of HookRow.
inline constexpr char kTwice[] = "used twice", kMicro[] = "two micro-batches, as in no_sync",
                      kRecomputed[] = "used in two recomputed layers";
struct HookRow {
  static constexpr Columns kTable{"hooks", "case", "uses", "backward passes", "calls"};
  std::string what;
  int64_t uses = 0, backwards = 0, calls = 0;
};
struct NodeRow {
  static constexpr Columns kTable{"nodes", "id", "text", "detail"};
  int64_t id = 0;
  std::string text, detail;
};
struct EdgeRow {
  static constexpr Columns kTable{"edges", "from", "to"};
  int64_t from = 0, to = 0;
};
// Ways of OrderRow.
inline constexpr char kFixed[] = "fixed buckets", kAsReady[] = "as ready",
                      kAsReadySizes[] = "as ready, other sizes", kNoError[] = "no error";
struct OrderRow {  // rank 1 computes its branches in another order
  static constexpr Columns kTable{"orders", "way", "off [%]", "error", "named"};
  std::string way;
  double off = NAN;  // of the gradient's length, the difference from the right one
  std::string error = kNoError, named = kNoError;  // named: its last part, the ranks that differ
};

void run(const Config& config, const RunContext& context);
Lesson make_lesson();

}  // namespace ringside::lessons::autograd
