#include "ringside/nn/wrapped_classifier.h"

namespace ringside {

WrappedClassifier::WrappedClassifier(Classifier& inner, const WrapperOptions& options)
    : inner_(inner), options_(options) {
  inner_.set_training(true);
}

bool WrappedClassifier::returns_everything() const {
  return ringside::returns_everything(options_.version, training_, inner_.training());
}

ClassifierOutput WrappedClassifier::forward(const Batch& batch, UnitHooks& hooks) const {
  const bool everything = returns_everything();
  return inner_.forward(batch, hooks,
                        {.hidden_states = everything, .attentions = everything && options_.attentions});
}

void WrappedClassifier::set_training(bool training) {
  training_ = training;
  if (options_.reaches_inner) inner_.set_training(training);
}

}  // namespace ringside
