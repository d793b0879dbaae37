// Trainings over meshes: the emulation's bits, every byte explained, whole hashes, and the whole model's
// values within what another order of sums may move.
#include <fmt/format.h>

#include "catch.h"
#include "ringside/base/error.h"
#include "tiny_training.h"

using namespace ringside;
using namespace ringside::testing;

namespace {

// Heads for every size of tp here, of two elements each.
TrainerConfig config_of_mesh(int dp, int tp, int stage) {
  TrainerConfig config = tiny_config(dp * tp, stage);
  config.model.hidden = 48;
  config.model.heads = config.model.kv_heads = 24;
  config.model.intermediate = 50;
  config.mesh = fmt::format("dp{},tp{}", dp, tp);
  config.steps = 2;
  return config;
}

double largest_difference(const std::vector<double>& a, const std::vector<double>& b) {
  double largest = 0;
  for (size_t i = 0; i < a.size(); ++i) largest = std::max(largest, std::abs(a[i] - b[i]));
  return largest;
}

}  // namespace

TEST_CASE(
    "all meshes of 1 to 8 ranks, two stages each, of 4 ranks all; clipped or in sequence: the emulation's "
    "bits, every byte, one hash") {
  const Dataset data = tiny_data();
  bool clips = false, inner = false;  // in turns: stages 1 and 2, or 0 and 3
  for (const int ranks : {1, 2, 3, 4, 6, 8}) {
    for (int tp = 1; tp <= ranks; ++tp) {
      if (ranks % tp != 0) continue;
      clips = !clips;
      if (clips) inner = !inner;
      TrainerConfig config = config_of_mesh(ranks / tp, tp, 0);
      config.clip_norm = clips ? 0.3 : 0;
      config.sequence = !clips;
      const BitReference reference = reference_bits(config, data);
      for (config.stage = 0; config.stage <= 3; ++config.stage)
        if (ranks == 4 || (config.stage % 3 != 0) == inner) check_bits(config, data, reference);
    }
  }
}

TEST_CASE("cut over tp the run follows the whole one within rounding") {
  const Dataset data = tiny_data();
  const TrainResult whole = audit(config_of_mesh(2, 1, 1), data).result;
  for (const int tp : {2, 3, 4}) {
    const TrainResult cut = audit(config_of_mesh(2, tp, 1), data).result;
    INFO("tp" << tp);
    CHECK(largest_difference(cut.loss, whole.loss) < 1e-5);
    CHECK(largest_difference(cut.gradient_norm, whole.gradient_norm) < 1e-5);
    CHECK(cut.parameters_sha256 != whole.parameters_sha256);  // sums were split
  }
}

TEST_CASE("every byte of tp with bf16, replicas, recompute, accumulation, evaluation and a frozen embedding") {
  const Dataset data = tiny_data();
  for (const bool sequence : {false, true}) {
    TrainerConfig config = config_of_mesh(4, 2, 3);
    config.sequence = sequence;
    config.precision = Precision::kBFloat16;
    config.replicas = 2;
    config.recompute = true;
    config.accumulate = 2;
    config.evaluate_every = 1;
    config.model.freeze_embedding = sequence;
    config.model.norm = NormKind::kLayer;
    config.model.where = sequence ? NormPlace::kPost : NormPlace::kPre;
    check_settled(config, data);
  }
}

TEST_CASE("a mesh that does not fit is refused with what would") {
  const Dataset data = tiny_data();
  TrainerConfig config = config_of_mesh(1, 5, 0);
  CHECK_THROWS_WITH(audit(config, data), ContainsSubstring("rows in groups of 2 cannot be cut over tp 5"));
  config = config_of_mesh(2, 2, 0);
  config.mesh = "dp2,cp2";
  CHECK_THROWS_WITH(audit(config, data), ContainsSubstring("no parameter of the model is cut over cp"));
  config.mesh = "dp2,tp3";
  CHECK_THROWS_AS(audit(config, data), UsageError);
  config.mesh = "dp2,tp2", config.sequence = true, config.model.norm = NormKind::kBatch;
  CHECK_THROWS_WITH(audit(config, data), ContainsSubstring("allowed are rms and layer"));
  config.sequence = false, config.optimizer.name = "lamb";
  CHECK_THROWS_AS(audit(config, data), UsageError);
}
