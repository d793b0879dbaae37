// What each version returns, with the flag inside as eval() sets it and as it would be if eval() missed it.
#include "../nn/small_classifier.h"
#include "catch.h"
#include "ringside/nn/classifier.h"
#include "training.h"

using namespace ringside;
using namespace ringside::nccl_lesson;
using namespace ringside::testing;

namespace {

using V = OutputVersion;

struct Row {
  OutputVersion version;
  bool in_training, in_evaluation;
};

// The truth table, written out; true: everything is returned.
constexpr Row kTable[] = {{V::kOriginal, true, true},
                          {V::kV1, true, false},
                          {V::kV2, true, false},  // both of its flags are inside
                          {V::kV3, false, false}};

std::unique_ptr<Model> noisy_model() {
  auto model = std::make_unique<Classifier>(small_config(), 12);
  fill_with_noise(model->parameters(), 5);
  return model;
}

std::unique_ptr<Model> returning_as(OutputVersion version, bool reaches, bool attentions) {
  return returning(noisy_model(), [=](bool training) -> ReturnedOutputs {
    const bool everything = returns_everything(version, training || !reaches);
    return {everything, everything && attentions};
  });
}

bool returns_everything_in(Mode mode, Model& model) {
  const ModelOutput output = model.forward(small_batch(), {.mode = mode});
  CHECK(output.hidden_states.empty() == output.attentions.empty());
  CHECK(output.logits.sizes() == at::IntArrayRef({3, 3}));
  return !output.hidden_states.empty();
}

// Keeps what it is asked for.
struct NoteWanted : Model {
  ParameterSet& parameters() override { return set; }
  Buffers& buffers() override { return no_buffers; }
  ModelOutput forward(const Batch& batch, const Context& context) override {
    told.push_back(context.wanted.hidden_states);
    return {};
  }
  ParameterSet set;
  Buffers no_buffers;
  std::vector<bool> told;
};

}  // namespace

TEST_CASE("what each version returns, in training and evaluation, with and without the mismatch") {
  for (const Row& row : kTable) {
    INFO(to_string(row.version));
    for (const bool reaches : {true, false}) {
      const auto model = returning_as(row.version, reaches, /*attentions=*/true);
      for (int times = 0; times < 2; ++times) {
        CHECK(returns_everything_in(Mode::kTrain, *model) == row.in_training);
        CHECK(returns_everything_in(Mode::kEvaluate, *model) ==
              (reaches ? row.in_evaluation : row.in_training));
      }
    }
  }
}

TEST_CASE("a returning model decides by the mode alone, whatever its caller wants") {
  auto inner = std::make_unique<NoteWanted>();
  const NoteWanted& note = *inner;
  const auto model = returning(std::move(inner), [](bool training) { return ReturnedOutputs{training}; });
  for (const Mode mode : {Mode::kTrain, Mode::kEvaluate, Mode::kTrain})
    for (const bool wanted : {false, true}) model->forward({}, {.mode = mode, .wanted = {wanted}});
  CHECK((note.told == std::vector<bool>{true, true, false, false, true, true}));
  CHECK(&model->parameters() == &note.set);
}
