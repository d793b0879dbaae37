// A model inside a wrapper, as engines (DeepSpeed) wrap a module. Both have a mode of their own, and the
// wrapper's reaches the inner one or not: the mismatch that the source's second document blames. Which of the
// two decides what forward returns is the version's matter.
#pragma once

#include <memory>

#include "output_version.h"
#include "ringside/nn/model.h"

namespace ringside::nccl_lesson {

struct WrapperOptions {
  OutputVersion version = OutputVersion::kV3;
  bool attentions = false;    // whether they are among "everything"
  bool reaches_inner = true;  // false: the inner model is told that it trains, whatever the wrapper is told
};

class WrappedClassifier : public Model {
 public:
  WrappedClassifier(std::unique_ptr<Model> inner, const WrapperOptions& options);

  ParameterSet& parameters() override { return inner_->parameters(); }
  Buffers& buffers() override { return inner_->buffers(); }
  // What is returned beside logits follows the version, not what the context wants.
  ModelOutput forward(const Batch& batch, const Context& context) override;

 private:
  std::unique_ptr<Model> inner_;
  WrapperOptions options_;
};

}  // namespace ringside::nccl_lesson
