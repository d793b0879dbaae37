// The wrapper's mode, the inner one's, and what each version makes of the two.
#include "wrapped_classifier.h"

#include "../nn/small_classifier.h"
#include "catch.h"
#include "ringside/nn/classifier.h"

using namespace ringside;
using namespace ringside::nccl_lesson;
using namespace ringside::testing;

namespace {

using V = OutputVersion;

struct Row {
  OutputVersion version;
  bool matching_training, matching_evaluation;      // the modes agree
  bool mismatched_training, mismatched_evaluation;  // evaluation does not reach the inner model
};

// The truth table, written out; true: everything is returned.
constexpr Row kTable[] = {
    {V::kOriginal, true, true, true, true},
    {V::kV1, true, false, true, true},  // the fix that does not hold where eval() stays outside
    {V::kV2, true, false, true, true},  // both of its flags are inside
    {V::kV3, false, false, false, false},
};

std::unique_ptr<Model> noisy_model() {
  auto model = std::make_unique<Classifier>(small_config(), 12);
  fill_with_noise(model->parameters(), 5);
  return model;
}

bool returns_everything_in(Mode mode, Model& wrapped) {
  const ModelOutput output = wrapped.forward(small_batch(), {.mode = mode});
  CHECK(output.hidden_states.empty() == output.attentions.empty());
  CHECK(output.logits.sizes() == at::IntArrayRef({3, 3}));
  return !output.hidden_states.empty();
}

// Keeps the mode that it is told.
struct NoteMode : Model {
  ParameterSet& parameters() override { return set; }
  Buffers& buffers() override { return no_buffers; }
  ModelOutput forward(const Batch& batch, const Context& context) override {
    told.push_back(context.mode);
    return {};
  }
  ParameterSet set;
  Buffers no_buffers;
  std::vector<Mode> told;
};

}  // namespace

TEST_CASE("what each version returns, in training and evaluation, with and without the mismatch") {
  for (const Row& row : kTable) {
    INFO(to_string(row.version));
    for (const bool reaches : {true, false}) {
      WrappedClassifier wrapped(noisy_model(), {row.version, /*attentions=*/true, reaches});
      for (int times = 0; times < 2; ++times) {
        CHECK(returns_everything_in(Mode::kTrain, wrapped) ==
              (reaches ? row.matching_training : row.mismatched_training));
        CHECK(returns_everything_in(Mode::kEvaluate, wrapped) ==
              (reaches ? row.matching_evaluation : row.mismatched_evaluation));
      }
    }
  }
}

TEST_CASE("the mode reaches the inner model, or stays with the wrapper") {
  for (const bool reaches : {true, false}) {
    auto inner = std::make_unique<NoteMode>();
    const NoteMode& note = *inner;
    WrappedClassifier wrapped(std::move(inner), {.reaches_inner = reaches});
    for (const Mode mode : {Mode::kTrain, Mode::kEvaluate, Mode::kTrain}) wrapped.forward({}, {.mode = mode});
    const std::vector<Mode> expected = {Mode::kTrain, reaches ? Mode::kEvaluate : Mode::kTrain, Mode::kTrain};
    CHECK((note.told == expected));
    CHECK(&wrapped.parameters() == &note.set);
  }
}

TEST_CASE("attentions are among everything only where they are asked for") {
  WrappedClassifier wrapped(noisy_model(), {.version = V::kOriginal});
  const ModelOutput output = wrapped.forward(small_batch(), {});
  CHECK(output.hidden_states.size() == 3);
  CHECK(output.attentions.empty());
}
