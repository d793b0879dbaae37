// What the run records. Without LibTorch.
#pragma once

#include "ringside/lesson/lesson_kit.h"

namespace ringside::lessons::context {

inline constexpr char kAttention[] = "attention", kLayer[] = "one layer", kReleased[] = "released models",
                      kRetrieval[] = "retrieval";
// Exact, both of all tokens; and of the nearest ones alone.
inline constexpr char kScores[] = "scores in memory", kTiles[] = "tiles", kWindow[] = "window";
inline constexpr const char* kWays[] = {kScores, kTiles, kWindow};

// Curves over T, "tiles, bytes", of one forward and backward of one head: the most bytes at once, beside q, k
// and v; the least ms of the rounds, of the thread's own time; how far values and gradients are from those of
// scores in memory, of the largest one.
inline constexpr char kBytes[] = "bytes", kMs[] = "ms", kDifference[] = "difference";
inline std::string line_of(const std::string& way, const char* what) { return way + ", " + what; }
// Curves over T, bytes that a decoder layer's forward keeps for backward.
inline constexpr char kKeptScores[] = "scores", kKeptRest[] = "rest of attention", kKeptMlp[] = "MLP";

// Keys and values in bf16, by the model's own configuration file.
struct CacheRow {
  static constexpr Columns kTable{
      "caches", "model",    "heads", "key heads", "bytes a token [bytes]", "with all heads [bytes]",
      "users",  "card [GB]"};
  std::string model;
  int64_t heads = 0, kv_heads = 0, bytes = 0, with_all = 0;
  int64_t users = 0;  // with texts of so many tokens as the scenario says, beside the weights on one card
  int64_t card = 0;
  double saving() const { return double(with_all) / double(bytes); }
};

// Questions about facts that are hidden in passages of texts, each in another one; means over the facts.
inline constexpr char kOneFact[] = "one fact", kAllFacts[] = "all facts";
inline constexpr int64_t kChosen = 4;  // passages
struct RetrievalRow {
  static constexpr Columns kTable{"retrieval", "asks for", "passages read", "facts in them [%]",
                                  "tokens read"};
  std::string asks;
  int64_t passages = 0;
  double found = 0;
  int64_t tokens = 0;
};

// A model trained on 64 bytes reads 512, and how.
inline constexpr char kBeyond[] = "beyond the trained length", kLearned[] = "learned positions",
                      kRotary[] = "rotary", kInterpolated[] = "rotary, interpolated",
                      kFurther[] = "interpolated, trained further", kNearest[] = "window",
                      kSinks[] = "window and first tokens";
inline constexpr int64_t kTrainedLength = 64;
struct LengthRow {
  static constexpr Columns kTable{"lengths", "positions", "near byte 64 [nats]", "from byte 256 on [nats]"};
  std::string line;
  double near = 0, far = 0;  // means over positions, and over held-out texts
};
struct FirstTokenRow {
  static constexpr Columns kTable{"first token", "attention to it [%]", "an even share [%]"};
  double share = 0, even = 0;  // of the head that pays it most; if all tokens had the same
};

void run(const Config& config, const RunContext& context);
Lesson make_lesson();

}  // namespace ringside::lessons::context
