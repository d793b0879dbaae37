// The wrapper's flag, the inner one's, and what each version makes of the two.
#include "ringside/nn/wrapped_classifier.h"

#include "catch.h"
#include "small_classifier.h"

using namespace ringside;
using namespace ringside::testing;

namespace {

using V = OutputVersion;

struct Row {
  OutputVersion version;
  bool matching_training, matching_evaluation;      // the flags agree
  bool mismatched_training, mismatched_evaluation;  // eval() does not reach the inner flag
};

// The truth table, written out; true: everything is returned.
constexpr Row kTable[] = {
    {V::kOriginal, true, true, true, true},
    {V::kV1, true, false, true, true},  // the fix that does not hold where eval() stays outside
    {V::kV2, true, false, true, false},
    {V::kV3, false, false, false, false},
};

Classifier noisy_model() {
  Classifier model(small_config(), 12);
  fill_with_noise(model.parameters(), 5);
  return model;
}

bool returns_everything_now(const WrappedClassifier& wrapped) {
  UnitHooks no_hooks;
  const ClassifierOutput output = wrapped.forward(small_batch(), no_hooks);
  CHECK(output.hidden_states.empty() == output.attentions.empty());
  CHECK(output.logits.sizes() == at::IntArrayRef({3, 3}));
  CHECK(wrapped.returns_everything() != output.hidden_states.empty());
  return !output.hidden_states.empty();
}

}  // namespace

TEST_CASE("what each version returns, in training and evaluation, with and without the mismatch") {
  for (const Row& row : kTable) {
    INFO(to_string(row.version));
    for (const bool reaches : {true, false}) {
      Classifier model = noisy_model();
      WrappedClassifier wrapped(model, {row.version, /*attentions=*/true, reaches});
      CHECK(returns_everything_now(wrapped) == (reaches ? row.matching_training : row.mismatched_training));
      wrapped.eval();
      CHECK(returns_everything_now(wrapped) ==
            (reaches ? row.matching_evaluation : row.mismatched_evaluation));
      wrapped.train();
      CHECK(returns_everything_now(wrapped) == (reaches ? row.matching_training : row.mismatched_training));
    }
  }
}

TEST_CASE("eval() reaches the inner flag, or stays with the wrapper") {
  for (const bool reaches : {true, false}) {
    Classifier model = noisy_model();
    WrappedClassifier wrapped(model, {.reaches_inner = reaches});
    wrapped.eval();
    CHECK_FALSE(wrapped.training());
    CHECK(wrapped.inner().training() != reaches);
    wrapped.train();
    CHECK(wrapped.training());
    CHECK(wrapped.inner().training());
  }
}

TEST_CASE("an inner model left in evaluation keeps v1 and v2 silent in training") {
  Classifier model = noisy_model();
  WrappedClassifier v1(model, {.version = V::kV1}), v2(model, {.version = V::kV2});
  model.set_training(false);
  CHECK_FALSE(v1.returns_everything());
  CHECK_FALSE(v2.returns_everything());
}

TEST_CASE("attentions are among everything only where they are asked for") {
  Classifier model = noisy_model();
  const WrappedClassifier wrapped(model, {.version = V::kOriginal});
  UnitHooks no_hooks;
  const ClassifierOutput output = wrapped.forward(small_batch(), no_hooks);
  CHECK(output.hidden_states.size() == 3);
  CHECK(output.attentions.empty());
}

TEST_CASE("a version's name is read back, and no other") {
  for (const OutputVersion version : kOutputVersions)
    CHECK(parse_output_version(to_string(version)) == version);
  CHECK_FALSE(parse_output_version("v4"));
  CHECK_FALSE(parse_output_version(""));
}
