// The parameters of a released model with a head of one's choice: names and shapes as transformers 5.23
// has them, in the order of named_parameters() (construction: a layer's norms stand behind its matrices,
// the vision tower before the text). Older versions name the same tensors "visual.blocks.0..." and
// "model.layers.0..." where this one has "model.visual." and "model.language_model.".
#pragma once

#include <vector>

#include "ringside/planner/declaration.h"
#include "ringside/planner/model_config.h"

namespace ringside::inline planner {

inline constexpr int64_t kMostClasses = 1'000'000;

struct ModelHead {
  enum class Kind { kNone, kClassifier, kLanguageModel };
  Kind kind = Kind::kNone;
  int64_t classes = 0;  // C, kClassifier: score.weight (C, H), 1 to kMostClasses
  bool bias = false;    // kClassifier: score.bias (C), which a custom head may have
};

// kLanguageModel: lm_head.weight (V, H), or nothing of its own where it is tied to the embedding.
// All are of unit 0: a released model is counted here, not trained. freeze_vision: the tower's parameters are
// not trainable. InputError for more than kMostModelParameters, UsageError for classes out of range.
std::vector<ParameterShape> model_shapes(const ModelConfig& config, const ModelHead& head,
                                         bool freeze_vision = false);

}  // namespace ringside::inline planner
