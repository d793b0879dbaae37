// What the run records, and what front ends make of it.
#pragma once

#include "ringside/lesson/lesson_kit.h"

namespace ringside::lessons::softmax_graph {

inline constexpr char kGraphs[] = "graphs", kDigits[] = "digits", kDifferences[] = "differences";
inline constexpr char kModule[] = "nn::Softmax(1)(x)", kFunction[] = "softmax(x, 1)";
inline constexpr char kTyped[] = "softmax(x, 1, dtype)";  // the other precision
inline constexpr char kFused[] = "nll_loss(log_softmax(x, 1))", kComposed[] = "nll_loss(log(softmax(x, 1)))";
inline constexpr const char* kPrograms[] = {kModule, kFunction, kTyped, kFused, kComposed};

// A node of the graph behind a result, and what it keeps for backward.
struct NodeRow {
  static constexpr Columns kTable{
      "nodes", "program", "node", "saved", "saved bytes [bytes]", "new bytes [bytes]", "keeps x"};
  std::string program, node, saved;  // the tensors that it keeps
  int64_t saved_bytes = 0;           // of these
  int64_t new_bytes = 0;             // of them, in storages that no node before it keeps
  bool keeps_x = false;              // one of them is the input
};

// What a program's graph keeps for backward.
struct ProgramRow {
  static constexpr Columns kTable{"programs", "program", "own [bytes]", "again [bytes]", "sizes of x"};
  std::string program;
  int64_t own = 0, again = 0;  // in storages of its own; in those once more
  double sizes_of_x = 0;       // what is still allocated with the result
};

// How far log p is off for the least and the greatest logit.
struct DigitsRow {
  static constexpr Columns kTable{"digits", "fused", "infinite", "spread",
                                  "digits", "least", "greatest", "spoilt"};
  bool fused = false;              // by log_softmax, or else by log(softmax)
  bool infinite = false;           // log p of the least is -inf
  double spread = 0;               // the greatest logit less the others
  double digits = 0;               // that the number format has
  double least = 0, greatest = 0;  // relative errors of log p; 1 where it is infinite
  int64_t spoilt = 0;              // elements of the gradient that are not finite
};

void run(const Config& config, const RunContext& context);
Lesson make_lesson();

}  // namespace ringside::lessons::softmax_graph
