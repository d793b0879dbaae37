// Next tokens of texts that are drawn by a seed: every one of 40 letters stands behind few others, so that
// there is something to learn.
#pragma once

#include "ringside/base/random.h"
#include "ringside/nn/language_tasks.h"
#include "tiny_training.h"

namespace ringside::testing {

// Of one length, so that all micro-batches of one size have the same activations; 12 of them held out.
inline std::shared_ptr<const Task> next_tokens(const TrainerConfig& config, bool tied = false) {
  ClassifierConfig model = config.model;
  model.every_position = true, model.classes = model.vocabulary, model.head_bias = false, model.tied = tied;
  std::vector<TokenExample> texts;
  RandomStream stream(3, "texts");
  for (int i = 0; i < 60; ++i) {
    TokenExample& text = texts.emplace_back();
    int64_t letter = 40;
    for (int t = 0; t < 8; ++t) {
      letter = 40 + (letter * 3 + static_cast<int64_t>(stream.uniform() * 3)) % 40;
      text.tokens.push_back(letter);
    }
  }
  return std::make_shared<NextTokenTask>(model, config, config.ranks,
                                         std::vector(texts.begin() + 12, texts.end()),
                                         std::vector(texts.begin(), texts.begin() + 12));
}

}  // namespace ringside::testing
