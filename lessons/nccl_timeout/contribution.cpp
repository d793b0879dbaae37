#include "contribution.h"

namespace ringside::nccl_lesson {

GatheredOutputs gathered_outputs(const Training& training) {
  GatheredOutputs outputs;
  outputs.model = training.model;
  outputs.rows = training.evaluation_rows;
  outputs.tokens = training.max_tokens;
  outputs.logits = training.evaluation_gather != EvaluationGather::kCounts;
  outputs.hidden_states =
      training.returns_in_evaluation() && training.evaluation_gather == EvaluationGather::kOutputs;
  outputs.attentions = outputs.hidden_states && training.attentions;
  const bool compressed = training.gather_transfer == GatherTransfer::kCompressed;
  outputs.width = compressed || training.precision == Precision::kBFloat16 ? 2 : 4;
  return outputs;
}

ContributionBytes contribution_bytes(const GatheredOutputs& outputs) {
  const ClassifierConfig& model = outputs.model;
  const int64_t positions = outputs.rows * outputs.tokens;
  ContributionBytes bytes;
  if (outputs.logits) bytes.logits = outputs.rows * (4 * model.classes + 8);
  if (outputs.hidden_states) {
    bytes.hidden_states = (model.layers + 1) * positions * model.hidden * outputs.width;
  }
  if (outputs.attentions) {
    bytes.attentions = model.layers * positions * model.heads * outputs.tokens * outputs.width;
  }
  return bytes;
}

}  // namespace ringside::nccl_lesson
