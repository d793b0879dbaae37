// What the lesson records: the gradient of each way to gather, two optimizers, the hooks of a backward pass.
#pragma once

#include "ringside/lesson/lesson_kit.h"

namespace ringside::lessons::autograd {

// Sections. Features are gathered from all ranks; what backward makes of it differs.
inline constexpr char kOne[] = "one process", kConstants[] = "all rows constants",
                      kPutBack[] = "own rows put back", kScattered[] = "reduce-scatter",
                      kInPlace[] = "loss summed in place", kSummed[] = "loss summed, with backward";
inline constexpr char kHooks[] = "hooks", kFixed[] = "another order, fixed buckets",
                      kAsReady[] = "another order, as ready",
                      kAsReadySizes[] = "another order, as ready, other sizes";
inline constexpr char kAcross[] = "one graph over the ranks", kWalked[] = "a value aside, graph walked",
                      kFast[] = "a value aside, FAST";
inline constexpr char kSgd[] = "sgd", kAdam[] = "adam";

// Parameters of the net whose hooks are watched, a bucket each, as they are declared. E embeds and is the
// head too: it is used first and last.
inline constexpr const char* kDeclared[] = {"unused", "E", "A", "B", "C"};

struct GradientRow {  // of the first step, as the ranks' mean, beside one process's
  static constexpr Columns kTable{"gradients", "way", "ranks", "cosine", "length"};
  std::string way;  // the section
  int64_t ranks = 0;
  double cosine = 0, length = 0;
};
struct TrainedRow {  // parameters after the last step of kPutBack, as of kScattered
  static constexpr Columns kTable{"trained", "optimizer", "ranks", "apart"};
  std::string optimizer;
  int64_t ranks = 0;
  double apart = 0;  // norm of their difference, over what kScattered moved
};
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
struct OrderRow {  // rank 1 computes its branches in another order
  static constexpr Columns kTable{"orders", "way", "off", "error"};
  std::string way;
  double off = NAN;   // of the gradient's length, the difference from the right one
  std::string error;  // "": there was none
};

struct AcrossRow {  // of the gradients of a graph that crosses ranks
  static constexpr Columns kTable{"across", "ranks", "same"};
  int64_t ranks = 0;
  int64_t same = 0;  // with the bits of one process
};
struct DeadRow {  // rank 0 sent a value that does not reach the loss
  static constexpr Columns kTable{"dead", "way", "deadline", "ms", "sender", "receiver", "what", "error"};
  std::string way;
  double deadline = 0, ms = NAN;  // until the error came, in ms
  int64_t sender = -1, receiver = -1;
  std::string what, error;  // "": there was none
};

class Sections;  // sections.h
void run_ways(const Config& config, Sections& sections);
void run_hooks(const Config& config, Sections& sections);
void run_remote(const Config& config, Sections& sections);
void run(const Config& config, const RunContext& context);
Lesson make_lesson();

}  // namespace ringside::lessons::autograd
