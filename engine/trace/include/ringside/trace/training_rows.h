// What a training records of itself as rows. Names of units and tensors are those of its memory events.
#pragma once

#include "ringside/trace/rows.h"

namespace ringside::inline trace {

// Attributes of a training's section: over how many ranks samples are spread; what changes the parameters,
// and the bytes of state that it keeps an element.
inline constexpr char kDataRanks[] = "data ranks", kOptimizerName[] = "optimizer",
                      kOptimizerBytes[] = "optimizer bytes";

// And which GPU it ran on; without it, on the CPU.
inline constexpr char kDeviceName[] = "device";

// Memory of a GPU, "other": by how much its allocator rounds up what tensors ask for; what cuBLAS works in,
// of each rank. The ledger's row of that category has them as reasons.
inline constexpr char kAllocatorRounding[] = "allocator rounding";
inline constexpr char kWorkSpace[] = "cuBLAS work space";

// Memory, "other": the copy from which a checkpoint is written while the run goes on.
inline constexpr char kCheckpointCopy[] = "checkpoint copy";

// A checkpoint that a rank has written, and all have published.
struct CheckpointRow {
  static constexpr Columns kTable{"checkpoints",    "step",         "bytes [bytes]",
                                  "copied [bytes]", "held up [ms]", "ms [ms]"};
  int64_t step = 0;            // steps that had been taken
  int64_t bytes = 0;           // in this rank's file
  int64_t copied = 0;          // of them first into memory; 0: the run stood until all was on the disk
  double held_up = 0, ms = 0;  // the time for which the run stood; from then on until it was published
};

// What a rank holds of one tensor after the last step: where hashes are equal, bytes are.
struct TensorHash {
  static constexpr Columns kTable{"tensor hashes", "category", "tensor", "step", "hash"};
  std::string category;  // of memory
  std::string tensor;    // a bucket, or a buffer
  int64_t step = 0;      // the last that was done
  std::string hash;      // SHA-256 of its live bytes, 16 digits
};

// A unit's whole parameters on a rank of ZeRO-3: asked for, or dropped.
struct UnitGather {
  static constexpr Columns kTable{"unit gathers", "unit", "step", "dropped"};
  std::string unit;      // a layer
  int64_t step = 0;      // -1 before the first
  bool dropped = false;  // no: its gather begins; yes: its bytes are free again
};

// A pass of a pipeline's stage, as it ran (pipeline/schedule.h): when, what it computed by its thread's own
// clock, and the activations that the rank holds behind it.
struct PipelinePass {
  static constexpr Columns kTable{
      "pipeline passes", "step",       "pass",     "kind",     "micro-batch",
      "chunk",           "start [ns]", "end [ns]", "cpu [ns]", "activations [bytes]"};
  int64_t step = 0;
  std::string pass;  // "F3", of several chunks "F3.1"
  int64_t kind = 0;  // StepPass::Kind
  int64_t micro = 0, chunk = 0;
  int64_t start_ns = 0, end_ns = 0, cpu_ns = 0;
  int64_t activations = 0;
};

// A parameter that the optimizer needs whole: the other ranks send their parts of it to its owner, which
// records the row.
struct OwnedMatrix {
  static constexpr Columns kTable{"owned matrices", "parameter", "owner", "elements", "work"};
  std::string parameter;  // its name
  int64_t owner = 0;      // a rank
  int64_t elements = 0;   // of all ranks
  double work = 0;        // multiplications in a step
};

// What a person should know of a training that goes on all the same. Each is recorded once, on the rank that
// it is about; of what concerns every rank, on rank 0.
struct TrainingRemark {
  static constexpr Columns kTable{"training remarks", "about", "parameter", "step", "text"};
  std::string about;      // what it is about
  std::string parameter;  // the first that it is about; none: empty
  int64_t step = -1;      // -1 before the first
  std::string text;       // a sentence or two: what it is, and what can be done
  // What `about` can be.
  static constexpr char kLearningRate[] = "learning rate", kFrozen[] = "frozen",
                        kEmptyShard[] = "empty shard", kNoGradient[] = "no gradient",
                        kNotFinite[] = "not finite", kLoss[] = "loss";
};

// Scalars that have a unit; their events say a name alone.
inline constexpr char kStepTime[] = "step time";  // of a training's step, on its first rank
// What a GPU's allocator holds for all ranks and nobody uses, after a step; on the first rank.
inline constexpr char kCachedMemory[] = "cached";
inline std::string_view unit_of_scalar(std::string_view name) {
  return name == kStepTime ? "ms" : name == kCachedMemory ? "bytes" : "";
}

}  // namespace ringside::inline trace
