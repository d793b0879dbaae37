#include "wrapped_classifier.h"

#include <utility>

#include "ringside/nn/classifier.h"
#include "training.h"

namespace ringside::nccl_lesson {

WrappedClassifier::WrappedClassifier(std::unique_ptr<Model> inner, const WrapperOptions& options)
    : inner_(std::move(inner)), options_(options) {}

ModelOutput WrappedClassifier::forward(const Batch& batch, const Context& context) {
  Context inner = context;
  if (!options_.reaches_inner) inner.mode = Mode::kTrain;
  const bool everything = returns_everything(options_.version, inner.mode == Mode::kTrain);
  inner.wanted = {.hidden_states = everything, .attentions = everything && options_.attentions};
  return inner_->forward(batch, inner);
}

std::function<std::unique_ptr<Model>(int)> maker_of_model(const Training& training) {
  return [training](int rank) {
    const bool here = training.mismatch_rank < 0 || training.mismatch_rank == rank;
    const WrapperOptions options{.version = training.outputs,
                                 .attentions = training.attentions,
                                 .reaches_inner = !(training.wrapper_mismatch && here)};
    return std::make_unique<WrappedClassifier>(
        std::make_unique<Classifier>(training.model, training.max_tokens), options);
  };
}

}  // namespace ringside::nccl_lesson
