// Training with a model that returns more than loss and logits: the same bits in every stage, and
// what holding the outputs costs.
#include "catch.h"
#include "lesson_training.h"

using namespace ringside;
using namespace ringside::nccl_lesson;
using namespace ringside::testing;

namespace {

// Every sample as long as a batch can be, so that shapes are known.
Dataset full_length_data() {
  Dataset data = tiny_data();
  for (auto* samples : {&data.train, &data.test}) {
    for (Sample& sample : *samples) sample.tokens.resize(9, sample.tokens.front());
  }
  return data;
}

int64_t peak_of_activations(const Audit& run) { return row_of(run, 0, "activations", kPeak).counted; }

int64_t held_bytes(const Audit& run) {
  const Trace trace = run.store->snapshot();
  return held_output_bytes(trace, *trace.find("run"));
}

}  // namespace

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
