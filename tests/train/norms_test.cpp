// Batch norm in a training: statistics that ranks share, or have of their own; and planted bugs of it, each
// caught by name. The other norms: proof_test.cpp.
#include <set>

#include "catch.h"
#include "faulty_group.h"
#include "ringside/trace/training_rows.h"
#include "tiny_training.h"

using namespace ringside;
using namespace ringside::testing;

namespace {

TrainerConfig with_norm(NormKind norm, NormPlace where = NormPlace::kPre, int ranks = 3, int stage = 0) {
  TrainerConfig config = tiny_config(ranks, stage);
  config.model.norm = norm;
  config.model.where = where;
  return config;
}

// Ranks whose norms share statistics cannot be emulated one after the other: stage 0 is the reference.
BitReference bits_of_stage_0(const TrainerConfig& config, const Dataset& data) {
  BitReference reference;
  TrainerHooks hooks;
  hooks.observe = reference.recorder();
  audit(config, data, hooks);
  return reference;
}

int64_t sent(const Audit& run, const std::string& tag) {  // by all ranks, as counted
  int64_t bytes = 0;
  for (const LedgerRow& row : run.ledger)
    if (row.category == tag) bytes += row.counted;
  return bytes;
}

// Hashes that the ranks have of one buffer after the last step.
std::set<std::string> hashes_of(const Audit& run, const std::string& buffer) {
  std::set<std::string> hashes;
  const Trace trace = run.store->snapshot();
  for (const TensorHash& row : rows_as<TensorHash>(*trace.find("run")))
    if (row.tensor == buffer) hashes.insert(row.hash);
  return hashes;
}

double farthest(const std::vector<double>& a, const std::vector<double>& b) {
  double worst = 0;
  for (size_t i = 0; i < a.size(); ++i) worst = std::max(worst, std::abs(a[i] - b[i]));
  return worst;
}

constexpr char kRunningMean[] = "model.layers.0.input_layernorm.running_mean";

}  // namespace

TEST_CASE("with shared statistics every stage has stage 0's bits, before the sub-layer and behind it") {
  const Dataset data = tiny_data();
  std::set<std::string> models;
  for (const NormPlace where : {NormPlace::kPre, NormPlace::kPost}) {
    TrainerConfig config = with_norm(NormKind::kSyncBatch, where);
    const BitReference reference = bits_of_stage_0(config, data);
    for (config.stage = 0; config.stage <= 3; ++config.stage)
      models.insert(check_bits(config, data, reference).result.parameters_sha256);
  }
  CHECK(models.size() == 2);
}

TEST_CASE("fused layers, and these without padding, are the same training up to rounding") {
  const Dataset data = tiny_data();
  TrainerConfig config = tiny_config(2, 0);
  const Audit plain = audit(config, data);
  config.model.fused = true;
  const Audit fused = audit(config, data);
  CHECK(fused.ledger_problem() == "");
  CHECK(farthest(fused.result.loss, plain.result.loss) < 1e-4);
  config.model.packed = true;
  const Audit packed = audit(config, data);
  CHECK(packed.ledger_problem() == "");
  CHECK(farthest(packed.result.loss, plain.result.loss) < 1e-4);
  config.mesh = "dp1,tp2";
  CHECK_THROWS_AS(planned_run(config, classifier_task(config, data), Interruption()), UsageError);
}

TEST_CASE("statistics that ranks share are in the ledger, with accumulation, evaluations and bf16 too") {
  const Dataset data = tiny_data();
  for (const int ranks : {1, 2, 4}) {
    TrainerConfig config = with_norm(NormKind::kSyncBatch, NormPlace::kPre, ranks, 2);
    config.accumulate = 2, config.evaluate_every = 2, config.precision = Precision::kBFloat16;
    const Audit run = audit(config, data);
    INFO(describe(config));
    CHECK(run.ledger_problem() == "");
    CHECK(run.result.ranks_agree);
    // 3 norms of H features, 2 micro-batches a step: H+1, H and 2H sums of 8 bytes, 2 (N-1) of each over all
    // ranks.
    const int64_t H = config.model.hidden, forwards = 3 * 2 * config.steps;
    CHECK(sent(run, "norm statistics") == forwards * (2 * H + 1) * 8 * 2 * (ranks - 1));
    CHECK(sent(run, "norm statistics backward") == forwards * 2 * H * 8 * 2 * (ranks - 1));
  }
}

TEST_CASE("shared statistics: N ranks train the model of one process, and their buffers are one") {
  const Dataset data = tiny_data();
  const Audit alone = audit(with_norm(NormKind::kSyncBatch, NormPlace::kPre, 1), data);
  for (const int ranks : {2, 3, 4}) {
    INFO(ranks << " ranks");
    TrainerConfig config = with_norm(NormKind::kSyncBatch, NormPlace::kPre, ranks);
    config.hash_state = true;
    const Audit run = audit(config, data);
    CHECK(farthest(run.result.loss, alone.result.loss) < 1e-5);
    CHECK(hashes_of(run, kRunningMean).size() == 1);
    CHECK(run.result.own_buffers_sha256.empty());
  }
}

TEST_CASE("statistics of each rank: another model than one process trains, and as many buffers as ranks") {
  const Dataset data = tiny_data();
  const Audit alone = audit(with_norm(NormKind::kBatch, NormPlace::kPre, 1), data);
  TrainerConfig config = with_norm(NormKind::kBatch);
  config.hash_state = true;
  const Audit run = audit(config, data);
  CHECK(farthest(run.result.loss, alone.result.loss) > 1e-3);
  CHECK(run.result.ranks_agree);  // on the parameters
  CHECK(hashes_of(run, kRunningMean).size() == 3);
  CHECK(!run.result.own_buffers_sha256.empty());
}

TEST_CASE("recompute changes no bit of shared statistics and sends none of them twice") {
  const Dataset data = tiny_data();
  for (const int stage : {0, 3}) {
    INFO("stage " << stage);
    TrainerConfig config = with_norm(NormKind::kSyncBatch, NormPlace::kPre, 3, stage);
    config.evaluate_every = 2;  // by the running statistics
    const Audit off = audit(config, data);
    config.recompute = true;
    const Audit on = audit(config, data);
    CHECK(on.result.parameters_sha256 == off.result.parameters_sha256);
    CHECK(on.result.loss == off.result.loss);
    CHECK(on.ledger_problem() == "");
    CHECK(sent(on, "norm statistics") == sent(off, "norm statistics"));
  }
}

TEST_CASE(
    "planted: a forgotten all-reduce in the backward of batch norm is missing bytes, and other bits from "
    "step 1") {
  const Dataset data = tiny_data();
  const TrainerConfig config = with_norm(NormKind::kSyncBatch);
  const BitReference reference = bits_of_stage_0(config, data);
  const Audit run = audit(config, data, leaving_out("norm statistics backward"), &reference);
  CHECK(run.ledger_problem().find("norm statistics backward") != std::string::npos);
  REQUIRE(run.difference);
  CHECK(run.difference->step == 1);
}

TEST_CASE("planted: statistics with padding in them are no byte more, and other bits") {
  const Dataset data = tiny_data();
  TrainerConfig config = with_norm(NormKind::kSyncBatch);
  const BitReference reference = bits_of_stage_0(config, data);
  config.model.norm_mask = false;
  const Audit run = audit(config, data, {}, &reference);
  CHECK(run.ledger_problem() == "");
  REQUIRE(run.difference);
  CHECK(run.difference->step <= 2);  // the first batch with padding
}
