// What each version returns, with the flag inside as eval() sets it and as it would be if eval() missed it.
#include "../nn/small_classifier.h"
#include "catch.h"
#include "lesson_training.h"
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
  return returning(noisy_model(), [=](bool training) -> WantedOutputs {
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

// Training with a model that returns more than loss and logits: the same bits in every stage, and
// what holding the outputs costs.
// Every sample as long as a batch can be, so that shapes are known.
Dataset full_length_data() {
  Dataset data = tiny_data();
  for (auto* samples : {&data.train, &data.test})
    for (Sample& sample : *samples) sample.tokens.resize(9, sample.tokens.front());
  return data;
}

int64_t peak_of_activations(const Audit& run) { return row_of(run, 0, "activations", kPeak).counted; }

int64_t held_bytes(const Audit& run) {
  const Trace trace = run.store->snapshot();
  return held_output_bytes(trace, *trace.find("run"));
}

}  // namespace

TEST_CASE("what each version returns, by the mode alone, with and without the mismatch") {
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
  auto inner = std::make_unique<NoteWanted>();
  const NoteWanted& note = *inner;
  const auto model = returning(std::move(inner), [](bool training) { return WantedOutputs{training}; });
  for (const Mode mode : {Mode::kTrain, Mode::kEvaluate, Mode::kTrain})
    for (const bool wanted : {false, true}) model->forward({}, {.mode = mode, .wanted = {wanted}});
  CHECK((note.told == std::vector<bool>{true, true, false, false, true, true}));
  CHECK(&model->parameters() == &note.set);
}

TEST_CASE("every version trains and evaluates to the same bits, in every stage, as the emulation does") {
  const Dataset data = tiny_data();
  const BitReference reference = reference_bits(tiny_config(3, 0), data);
  for (const int stage : {0, 1, 2, 3}) {
    Training config = tiny_lesson_training(3, stage);
    config.evaluate_every = 0;
    const Audit plain = audit_lesson(config, data, &reference);
    CHECK(plain.bit_problem() == "");
    config.attentions = true;
    for (const OutputVersion version : kOutputVersions) {
      for (const bool mismatch : {false, true}) {
        config.outputs = version;
        config.wrapper_mismatch = mismatch;
        INFO("stage " << stage << ", " << to_string(version) << (mismatch ? ", mismatch" : ""));
        const Audit run = audit_lesson(config, data, &reference);
        CHECK(run.bit_problem() == "");
        CHECK(run.ledger_problem() == "");
        CHECK(run.result.loss == plain.result.loss);
        CHECK(run.result.evaluation_loss == plain.result.evaluation_loss);  // the logits' bits
      }
    }
  }
}

TEST_CASE("returned outputs are held through backward: their bytes, as the allocator saw them") {
  const Dataset data = full_length_data();
  const int64_t hidden = 2 * 5 * 9 * 12 * 4, attentions = 5 * 2 * 9 * 9 * 4;  // (L+1) B T H, L B A T T
  Training config = tiny_lesson_training(1, 0);
  const Audit lean = audit_lesson(config, data);
  CHECK(held_bytes(lean) == 0);
  for (const OutputVersion version : {OutputVersion::kOriginal, OutputVersion::kV1, OutputVersion::kV2}) {
    config.outputs = version;
    config.attentions = false;
    const Audit run = audit_lesson(config, data);
    CHECK(held_bytes(run) == hidden);
    CHECK(peak_of_activations(run) > peak_of_activations(lean));
    CHECK(peak_of_activations(run) <= peak_of_activations(lean) + hidden);
    config.attentions = true;
    CHECK(held_bytes(audit_lesson(config, data)) == hidden + attentions);
  }
}
