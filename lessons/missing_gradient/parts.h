// Five layers and an expert that one rank's batch leaves unused, one bucket per layer.
// Backward reaches the buckets in this order: top, expert, layer 3, 2, 1, 0.
#pragma once

#include "ringside/lesson/lesson_kit.h"

namespace ringside::lessons::missing_gradient {

inline constexpr int kLayers = 4;  // below the expert
inline constexpr size_t kBuckets = kLayers + 2;
inline constexpr size_t kExpertBucket = 1;
// Sections. SGD without momentum but in kUnused and kLikeDdp, which are AdamW.
inline constexpr char kAll[] = "all ranks use it", kOne[] = "one rank leaves it out",
                      kUnused[] = "no rank uses it, flat buffers", kLikeDdp[] = "no rank uses it, as DDP",
                      kSkipsNone[] = "that rank's optimizer skips None",
                      kSkips[] = "that rank skips the bucket",
                      kSilent[] = "that rank skips a bucket of the same size";
inline constexpr char kError[] = "error", kAbsent[] = "absent";

// What a step did to the expert on a rank.
struct MoveRow {
  static constexpr Columns kTable{"moves", "rank", "step", "moved", "value"};
  int64_t rank = 0, step = 0;
  double moved = 0;  // norm of the change of the expert's parameters
  double value = 0;  // norm of these parameters afterwards
};

// When a rank asked for a bucket, from its collectives and its backward pass.
struct Reduced {
  double asked_ms = 0;       // since the first backward began
  bool in_backward = false;  // asked for while backward went on
};
std::vector<std::vector<Reduced>> reduced(const Trace& trace, const char* section);  // (ranks, buckets)
void run(const Config& config, const RunContext& context);
Lesson make_lesson();

}  // namespace ringside::lessons::missing_gradient
