// The lesson's trainings: the engine's, with a model that returns more than logits, an evaluation that
// gathers what it returned, and a loop that makes the mistakes of real programs. Torch-free.
#pragma once

#include <functional>
#include <memory>

#include "output_version.h"
#include "ringside/faults/injector.h"
#include "ringside/train/trainer.h"

namespace ringside::nccl_lesson {

// What ranks bring together of an evaluation.
enum class EvaluationGather : uint8_t {
  kCounts,  // three sums at its end, as the engine's own: loss, correct, samples
  kLogits,  // logits and labels of every batch; each rank scores the whole
  kOutputs  // those and whatever else forward returned, kept until the evaluation ends
};

// How kOutputs sends hidden states and attentions.
enum class GatherTransfer : uint8_t {
  kWhole,      // a tensor in one all-gather
  kChunked,    // in several of gather_chunk elements
  kCompressed  // in one, as bf16; what is kept has the model's type again
};

// What the loop of `mistaken_rank` does wrong after the first evaluation.
enum class Mistake : uint8_t {
  kNone,
  kStuckLoader,  // its next batch never comes
  kWritesOut,    // it writes the hidden states out that it gathered, for longer than any deadline
  kSaves,        // it saves a checkpoint for two deadlines, and then comes
  // if rank == 0: all_reduce(counts), as the source's program has it (evaluation.py at 6806d0f): the others
  // go on into backward, on the other group.
  kRankZeroReduces,
  kThenBarrier,  // the same, and all ranks pass a barrier before they save: in NCCL an all-reduce of one
                 // element
  kOwnBest,      // its own accuracy decides whether it enters the barrier before a save (e35ddab)
  kSwallows      // except Exception: continue. It leaves out a batch of the evaluation, and its gathers
};

struct Training : TrainerConfig {
  // What forward returns beside loss and logits, and what becomes of it.
  OutputVersion outputs = OutputVersion::kV3;
  bool attentions = false;        // whether they are among "everything" that a version returns
  bool wrapper_mismatch = false;  // eval() does not reach the inner model's flag ...
  int mismatch_rank = -1;         // ... on this rank; -1: on all
  EvaluationGather evaluation_gather = EvaluationGather::kCounts;
  GatherTransfer gather_transfer = GatherTransfer::kWhole;
  int64_t gather_chunk = int64_t{1} << 16;  // elements that a rank contributes to one chunk
  Mistake mistake = Mistake::kNone;
  int mistaken_rank = -1;
  std::chrono::nanoseconds stays{0};  // so long, where the mistake is to stay somewhere
  bool mended = false;                // the same program without its condition: every rank makes the call
  bool barrier_ahead = false;         // all ranks meet in a barrier after an evaluation, before the next step
  bool returns_in_evaluation() const { return returns_everything(outputs, wrapper_mismatch); }
};

// What the engine trains: with the lesson's model and evaluation in it. UsageError where a field is out of
// range.
TrainerConfig assembled(const Training& training);

// The parts that see LibTorch: wrapped_classifier.cpp and gathering.cpp.
std::function<std::unique_ptr<Model>(int rank)> maker_of_model(const Training& training);
std::shared_ptr<const Evaluation> gathering_evaluation(const Training& training);

// For TrainerHooks::end_step: the evaluation and the loop's mistakes. Both outlive it.
std::function<void(RankLoop& loop, int64_t step)> loop_with(FaultInjector& faults, const Training& training);

}  // namespace ringside::nccl_lesson
