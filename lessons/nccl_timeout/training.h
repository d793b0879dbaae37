// The lesson's trainings: the engine's, with a model that returns more than logits, an evaluation that
// gathers what it returned, and a loop that makes mistakes. Torch-free.
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
  kOutputs  // those and whatever else forward returned, kept until the evaluation ends, as the
            // evaluation loops of common trainers do with a model's outputs
};

// How kOutputs sends hidden states and attentions.
enum class GatherTransfer : uint8_t {
  kWhole,      // a tensor in one all-gather
  kChunked,    // in several of gather_chunk elements
  kCompressed  // in one, as bf16; what is kept has the model's type again
};

struct Training : TrainerConfig {
  // What forward returns beside loss and logits, and what becomes of it.
  OutputVersion outputs = OutputVersion::kV3;
  bool attentions = false;        // whether they are among "everything" that a version returns
  bool wrapper_mismatch = false;  // train() and eval() do not reach the inner model's flag ...
  int mismatch_rank = -1;         // ... on this rank; -1: on all
  EvaluationGather evaluation_gather = EvaluationGather::kCounts;
  GatherTransfer gather_transfer = GatherTransfer::kWhole;
  int64_t gather_chunk = int64_t{1} << 16;  // elements that a rank contributes to one chunk
};

// What the engine trains: with the lesson's model and evaluation in it. UsageError where a field is out of
// range.
TrainerConfig assembled(const Training& training);

// The parts that see LibTorch: wrapped_classifier.cpp and gathering.cpp.
std::function<std::unique_ptr<Model>(int rank)> maker_of_model(const Training& training);
std::shared_ptr<const Evaluation> gathering_evaluation(const Training& training);

// For TrainerHooks::end_step. One batch more and an evaluation alone are no calls that go wrong: each is a
// mistake that the loops of real trainers make. The injector outlives it.
std::function<void(RankLoop& loop, int64_t step)> loop_with(const FaultInjector& faults);

}  // namespace ringside::nccl_lesson
