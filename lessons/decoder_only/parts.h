// What the run records.
#pragma once

#include "ringside/lesson/lesson_kit.h"

namespace ringside::lessons::decoder_only {

inline constexpr char kCausal[] = "causal", kBoth[] = "bidirectional";
inline constexpr char kRandom[] = "random scores", kUntrained[] = "untrained model",
                      kTrained[] = "trained model";
inline constexpr char kDepth[] = "depth", kGenerating[] = "generating";

// One attention matrix after the softmax, (T, T), of one head.
struct MatrixRow {
  static constexpr Columns kTable{"matrices", "of",   "mask",      "T",         "fp64",
                                  "fp32",     "bf16", "log10 det", "condition", "effective rank"};
  std::string of, mask;
  int64_t T = 0;
  int64_t fp64 = 0, fp32 = 0, bf16 = 0;  // singular values above the rounding of that type
  double log10_det = 0;                  // of the absolute value
  double condition = 0;                  // greatest over least singular value
  double effective = 0;                  // exp of the entropy of the singular values as shares
};

// A token's query and key, d numbers each, in the tokens' order: a program can compute the matrix again.
struct TokenRow {
  static constexpr Columns kTable{"heads", "of", "mask", "query", "key"};
  std::string of, mask, query, key;
};

// What a training of one kind had for its tokens.
struct TaskRow {
  static constexpr Columns kTable{"tasks", "mask", "positions", "with a loss [%]", "last byte [nats]",
                                  "steps"};
  std::string mask;
  int64_t positions = 0;  // that forward passes read
  double with_loss = 0;   // of these, whose prediction is in the loss
  double last_byte = 0;   // loss of a held-out window's last byte, from those before it
  int64_t steps = 0;
};

// Bytes written one by one.
inline constexpr char kWith[] = "with a cache", kWithout[] = "without";
struct WrittenRow {
  static constexpr Columns kTable{"written", "cache", "prompt", "written", "tokens read", "same bytes"};
  std::string cache;                          // kWith or kWithout
  int64_t prompt = 0, written = 0, read = 0;  // tokens
  bool same = false;                          // as without a cache
};

void run(const Config& config, const RunContext& context);
Lesson make_lesson();

}  // namespace ringside::lessons::decoder_only
