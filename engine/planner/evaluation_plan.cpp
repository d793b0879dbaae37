#include "ringside/planner/evaluation_plan.h"

namespace ringside {

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

}  // namespace ringside
