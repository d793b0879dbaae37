// A classifier with another norm than RMS norm, trained: the emulation's bits at every stage, every byte
// explained.
#include "catch.h"
#include "tiny_training.h"

using namespace ringside;
using namespace ringside::testing;

TEST_CASE("with layer norm every stage has the emulation's bits, and its ledger adds up") {
  const Dataset data = tiny_data();
  TrainerConfig config = tiny_config(3, 0);
  const std::string rms = audit(config, data).result.parameters_sha256;
  config.model.norm = NormKind::kLayer;
  const BitReference reference = reference_bits(config, data);
  for (const int stage : {0, 1, 2, 3}) {
    config.stage = stage;
    INFO(describe(config));
    const Audit run = audit(config, data, {}, &reference);
    CHECK(run.bit_problem() == "");
    CHECK(run.ledger_problem() == "");
    CHECK(run.result.ranks_agree);
    CHECK(run.result.parameters_sha256 != rms);
  }
}
