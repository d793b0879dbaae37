// Training with a model that returns more than loss and logits: the same bits in every stage, and
// what holding the outputs costs.
#include "catch.h"
#include "tiny_training.h"

using namespace ringside;
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

int64_t peak_of_activations(const Audit& run) {
  for (const LedgerRow& row : run.ledger) {
    if (row.rank == 0 && row.category == "activations" && row.at == kPeak) return row.counted;
  }
  FAIL("no peak of activations");
  throw 0;
}

}  // namespace

TEST_CASE("every version trains and evaluates to the same bits, in every stage, as the emulation does") {
  const Dataset data = tiny_data();
  const BitReference reference = reference_bits(tiny_config(3, 0), data);
  for (const int stage : {0, 1, 2, 3}) {
    TrainerConfig config = tiny_config(3, stage);
    config.evaluate_every = 0;
    const Audit plain = audit(config, data, {}, &reference);
    CHECK(plain.bit_problem() == "");
    config.attentions = true;
    for (const OutputVersion version : kOutputVersions) {
      for (const bool mismatch : {false, true}) {
        config.outputs = version;
        config.wrapper_mismatch = mismatch;
        INFO("stage " << stage << ", " << to_string(version) << (mismatch ? ", mismatch" : ""));
        const Audit run = audit(config, data, {}, &reference);
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
  TrainerConfig config = tiny_config(1, 0);
  const Audit lean = audit(config, data);
  CHECK(lean.result.held_output_bytes == 0);
  for (const OutputVersion version : {OutputVersion::kOriginal, OutputVersion::kV1, OutputVersion::kV2}) {
    config.outputs = version;
    config.attentions = false;
    const Audit run = audit(config, data);
    CHECK(run.result.held_output_bytes == hidden);
    CHECK(peak_of_activations(run) > peak_of_activations(lean));
    CHECK(peak_of_activations(run) <= peak_of_activations(lean) + hidden);
    config.attentions = true;
    CHECK(audit(config, data).result.held_output_bytes == hidden + attentions);
  }
}

TEST_CASE("a hidden state is booked under its name, and to its unit") {
  const Audit run = audit(tiny_config(2, 3), tiny_data());
  const Trace trace = run.store->snapshot();
  std::map<std::string, int64_t> left;
  for (const MemoryEvent& event : trace.find("run")->memory(1, Category::kActivations)) {
    if (trace.name(event.tensor) == "hidden states") left[trace.name(event.unit)] += event.delta_bytes;
  }
  CHECK(left == std::map<std::string, int64_t>{{"embedding", 0}, {"layer 0", 0}});
}
