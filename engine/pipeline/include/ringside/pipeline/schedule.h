// A pipeline's schedule as a value: what each stage does in a step, in order. A pass is the forward or the
// backward of one micro-batch through one of the stage's chunks; a backward may be cut in two, the gradient
// of the input (I), which the stage before waits for, and that of the weights (W), which nobody waits for.
//
//   p stages (ranks), m micro-batches, v chunks a stage; the model has p v parts, in forward order
//
// A step of a run without a pipeline is the list of one stage.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace ringside::inline pipeline {

struct StepPass {  // one action of one stage
  enum Kind : uint8_t { kForward, kBackward, kBackwardInput, kBackwardWeight } kind = kForward;
  int64_t micro = 0;
  int chunk = 0;  // of the stage's v chunks of the model
  bool operator==(const StepPass&) const = default;
};
using StepSchedule = std::vector<StepPass>;  // of one rank, in order

// F0 B0 F1 B1 ...: the activations of one micro-batch live at a time. One stage.
StepSchedule one_after_another(int64_t micro_batches);

// How chunks lie on stages: in turns (chunk c of stage r is part c p + r of the model), or as a V (v = 2:
// part r, and part 2p-1-r, so that the last part lies beside the first).
enum class ChunkOrder : uint8_t { kInTurns, kVee };

struct PipelineSchedule {
  std::string name;           // "1f1b"; "own" of a typed one
  int stages = 1;             // p
  int64_t micro_batches = 1;  // m
  int chunks = 1;             // v
  ChunkOrder order = ChunkOrder::kInTurns;
  std::vector<StepSchedule> of_stage;  // (p)

  int parts() const { return stages * chunks; }
  int part_of(int stage, int chunk) const {  // 0 to parts() - 1, in forward order
    if (order == ChunkOrder::kVee && chunk == 1) return 2 * stages - 1 - stage;
    return chunk * stages + stage;
  }
  int stage_of(int part) const {
    if (order == ChunkOrder::kVee && part >= stages) return 2 * stages - 1 - part;
    return part % stages;
  }
  int chunk_of(int part) const { return part / stages; }
};

inline constexpr int kMostStages = 1 << 14;
inline constexpr int64_t kMostPasses = 1 << 26;  // of all stages together

// Every one goes through the micro-batches of a chunk in ascending order, also in its backward and weight
// passes, so that a parameter's gradient is the same sum under each of them. All take any p and m of 1 and
// more. Their files say where they are from, what they cost and what lives at once. UsageError for another v.
PipelineSchedule gpipe(int p, int64_t m, int v = 1);        // gpipe.cpp
PipelineSchedule one_f_one_b(int p, int64_t m, int v = 1);  // one_f_one_b.cpp; v = 1
PipelineSchedule interleaved(int p, int64_t m, int v = 2);  // interleaved.cpp; v of 2 and more
int64_t interleaved_group(int p, int64_t m);                // g: micro-batches of its largest group
PipelineSchedule zero_bubble(int p, int64_t m, int v = 1);  // zero_bubble.cpp: ZB-H1; v = 1
PipelineSchedule vee(int p, int64_t m, int v = 2);          // vee.cpp: ZB-V; v = 2, as a V

struct NamedSchedule {
  std::string name;  // that a person types: "gpipe", "1f1b", "interleaved", "zb_h1", "zb_v"
  PipelineSchedule (*make)(int p, int64_t m, int v);
  int least_chunks, most_chunks;
  std::string title;  // "ZB-H1: the backward in two halves"
};
const std::vector<NamedSchedule>& named_schedules();

// By its name; or the passes of an own one, a stage behind each '/': "F0 F1 B0 B1 / F0 B0 F1 B1". The chunk
// stands behind a dot, "F0.1"; I and W are the halves of a backward. `order` is of an own one. UsageError: an
// unknown name (it lists all), a v that the schedule does not take, another number of stages than p, a pass
// that is there twice or missing, or of a micro-batch or chunk that is none.
PipelineSchedule schedule_of(const std::string& text, int p, int64_t m, int v,
                             ChunkOrder order = ChunkOrder::kInTurns);
// Of typed passes; all 0 where the text is a name.
struct TypedSizes {
  int stages = 0;
  int64_t micro_batches = 0;
  int chunks = 0;
};
TypedSizes sizes_of(const std::string& text);

std::string text_of(const StepPass& pass, int chunks);  // "F3", of several chunks "F3.1"
std::string text_of(const PipelineSchedule& schedule);  // as schedule_of() reads it
// Throws the UsageError of schedule_of(): each stage has each forward once, and each backward once, whole or
// as I and W. Whether the order makes sense says check.h.
void require_complete(const PipelineSchedule& schedule);

// A lane a stage, over the time of equal costs (F, I and W one unit a chunk, B two), without links:
//   stage 0  F0F1....B0--B1--
//   stage 1  ..F0B0--F1B1--
// Of two chunks the second has small letters. Where the schedule hangs, each lane ends with the pass that it
// waits at:
//   stage 0  F0 | B1
std::string drawing_of(const PipelineSchedule& schedule);

struct ScheduleDrawing {
  size_t unit = 1;                   // columns of a unit of time
  std::vector<std::string> lanes{};  // (p), without their names
};
ScheduleDrawing lanes_of(const PipelineSchedule& schedule);

}  // namespace ringside::inline pipeline
