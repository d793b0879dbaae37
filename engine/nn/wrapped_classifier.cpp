#include "ringside/nn/wrapped_classifier.h"

#include <utility>

namespace ringside {

WrappedClassifier::WrappedClassifier(std::unique_ptr<Model> inner, const WrapperOptions& options)
    : inner_(std::move(inner)), options_(options) {}

ModelOutput WrappedClassifier::forward(const Batch& batch, const Context& context) {
  Context inner = context;
  if (!options_.reaches_inner) inner.mode = Mode::kTrain;
  const bool everything =
      returns_everything(options_.version, context.mode == Mode::kTrain, inner.mode == Mode::kTrain);
  inner.wanted = {.hidden_states = everything, .attentions = everything && options_.attentions};
  return inner_->forward(batch, inner);
}

}  // namespace ringside
