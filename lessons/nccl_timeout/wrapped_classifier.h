// A model that returns more than logits, as its version says (output_version.h).
#pragma once

#include <memory>

#include "output_version.h"
#include "ringside/nn/model.h"

namespace ringside::nccl_lesson {

struct WrapperOptions {
  OutputVersion version = OutputVersion::kV3;
  bool attentions = false;    // whether they are among "everything"
  bool reaches_inner = true;  // false: eval() misses the module, as the second document supposes
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
