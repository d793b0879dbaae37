// The lesson's trainings: the engine's, with a model that returns more than logits, an evaluation that
// gathers what it returned, and a loop that may make a mistake.
#pragma once

#include <array>

#include "ringside/nn/returned_outputs.h"
#include "ringside/train/mistakes.h"

namespace ringside::nccl_lesson {

// What a classifier's forward returns beside loss and logits: the original code and the three fixes that the
// source's documents propose. "Everything" is the hidden states and, where they are asked for, the
// attentions.
//
//   original  always everything
//   v1        nothing while self.training is false
//   v2        the same and self.model.training: both flags are the module's, inside the engine's wrapper
//   v3        never anything
//
// DeepSpeedEngine.eval() is self.module.train(False): it sets the flags inside, and leaves the engine's own
// as it was. No version reads the engine's own, so v1 and v2 are one condition here. In the source's program
// forward never asked for hidden states (output_hidden_states occurs nowhere in it): there all versions
// return none.
enum class OutputVersion : uint8_t { kOriginal, kV1, kV2, kV3 };
inline constexpr std::array<OutputVersion, 4> kOutputVersions = {OutputVersion::kOriginal, OutputVersion::kV1,
                                                                 OutputVersion::kV2, OutputVersion::kV3};
std::string_view to_string(OutputVersion version);  // "original", "v1"
// training: the flag of the module inside.
constexpr bool returns_everything(OutputVersion version, bool training) {
  return version == OutputVersion::kOriginal || (version != OutputVersion::kV3 && training);
}

// What ranks bring together of an evaluation.
enum class EvaluationGather : uint8_t {
  kCounts,  // three sums at its end, as the engine's own: loss, correct, samples
  kLogits,  // logits and labels of every batch; each rank scores the whole
  kOutputs  // those and whatever else forward returned, kept until the evaluation ends
};

struct Training : TrainerConfig {
  // What forward returns beside loss and logits, and what becomes of it.
  OutputVersion outputs = OutputVersion::kV3;
  bool attentions = false;        // whether they are among "everything" that a version returns
  bool wrapper_mismatch = false;  // eval() does not reach the inner model's flag
  EvaluationGather evaluation_gather = EvaluationGather::kCounts;
  GatherTransfer gather_transfer = GatherTransfer::kWhole;
  int64_t gather_chunk = int64_t{1} << 16;  // elements that a rank contributes to one chunk
  LoopMistake mistake = {};
  bool swallows = false;  // except Exception: continue. Its rank leaves out a batch of the evaluation
  // Whether forward returns more than logits in evaluation, and the evaluation gathers it.
  bool gathers_outputs() const {
    return evaluation_gather == EvaluationGather::kOutputs && returns_everything(outputs, wrapper_mismatch);
  }
};

// What the engine trains: with the lesson's model and evaluation in it.
TrainerConfig assembled(const Training& training);

// Measures of a training's section, of rank 0.
// (evaluations) bytes received in an evaluation's gathers of outputs. Every rank contributes as much, so it
// is what rank 0 was counted to send.
std::vector<int64_t> gathered_bytes(const Trace& trace, const SectionView& section);
// The most bytes of hidden states and attentions that nothing but the returned outputs kept alive in a step:
// backward has come to the embedding and needs none of them, and they are freed after it.
int64_t held_output_bytes(const Trace& trace, const SectionView& section);
// The bytes of hidden states that were alive when the first backward began, whatever forward returned.
int64_t kept_for_backward(const Trace& trace, const SectionView& section);
// The first collective that carried gradients after the first evaluation, in elements: what the log names.
int64_t first_bucket_after_evaluation(const Trace& trace, const SectionView& section);

}  // namespace ringside::nccl_lesson
