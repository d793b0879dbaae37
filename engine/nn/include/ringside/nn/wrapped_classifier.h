// A classifier inside a wrapper, as engines (DeepSpeed) wrap a module. Both have a training flag
// of their own, and the wrapper's train() and eval() reach the inner one or not: the mismatch that the
// source's second document blames. Which of the two decides what forward returns is the version's matter.
#pragma once

#include "ringside/nn/classifier.h"
#include "ringside/nn/output_version.h"

namespace ringside {

struct WrapperOptions {
  OutputVersion version = OutputVersion::kV3;
  bool attentions = false;    // whether they are among "everything"
  bool reaches_inner = true;  // false: train() and eval() set the wrapper's flag alone
};

class WrappedClassifier {
 public:
  // The inner model must outlive the wrapper. Both begin in training.
  WrappedClassifier(Classifier& inner, const WrapperOptions& options);

  void train() { set_training(true); }
  void eval() { set_training(false); }
  bool training() const { return training_; }
  const Classifier& inner() const { return inner_; }

  bool returns_everything() const;
  ClassifierOutput forward(const Batch& batch, UnitHooks& hooks) const;

 private:
  void set_training(bool training);

  Classifier& inner_;
  WrapperOptions options_;
  bool training_ = true;
};

}  // namespace ringside
