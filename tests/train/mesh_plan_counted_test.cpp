// What `ringside plan mesh` says of a mesh against what runs of it count: bytes that each rank sends, by
// dimension, and the state that it keeps. tests/planner holds it to the predicted rows of more meshes.
#include <fmt/format.h>

#include "catch.h"
#include "classifier_mesh.h"
#include "ringside/planner/mesh_plan.h"
#include "tiny_texts.h"

using namespace ringside;
using namespace ringside::testing;

namespace {

struct Counted {
  int64_t tensor = 0, pipeline = 0, data = 0, parameters = 0, gradients = 0, optimizer = 0;
  Counted(const Audit& run, int rank) {
    for (const LedgerRow& row : run.ledger) {
      if (row.rank != rank) continue;
      const bool sent = row.what == "traffic", state = row.at == kStepEntry;
      const bool of_activations = row.category.starts_with("activation") ||
                                  row.category == "norm gradients" || row.category.starts_with("softmax");
      if (sent && of_activations) (row.op == "send" ? pipeline : tensor) += row.counted;
      if (sent && row.category == "tied gradients") pipeline += row.counted;
      if (sent && (row.category == "gradients" || row.category == "parameters")) data += row.counted;
      if (state && row.category == "parameters") parameters += row.counted;
      if (state && row.category == "gradients") gradients += row.counted;
      if (state && row.category == "optimizer") optimizer += row.counted;
    }
  }
};

// All sizes divide by 8, and every rank has as many sequences of as many tokens.
TrainerConfig even_config(int dp, int pp, int tp, int stage) {
  TrainerConfig config = tiny_config(dp * pp * tp, stage);
  config.model = {.vocabulary = 264,
                  .hidden = 64,
                  .heads = 8,
                  .kv_heads = 8,
                  .intermediate = 64,
                  .layers = 4,
                  .classes = 8};
  config.mesh = fmt::format("dp{},pp{},tp{}", dp, pp, tp);
  config.precision = Precision::kBFloat16;
  config.bucket_elements = int64_t{1} << 20;
  config.clip_norm = 0;
  config.batch = 2 * dp;  // over all ranks
  config.accumulate = 2;
  config.steps = 1;
  config.max_tokens = 8;
  return config;
}

// Sequences of 8 tokens, all of them.
Dataset even_data() {
  DataOptions options;
  options.max_tokens = 18;
  options.synthetic_classes = 8;
  options.synthetic_train = 64;
  options.synthetic_test = 8;
  Dataset data = load_dataset(options);
  for (auto* samples : {&data.train, &data.test})
    for (Sample& sample : *samples) sample.tokens.resize(8);
  return data;
}

// more: bytes over tp that a rank of the last stage sends beside what the formula has.
void check_counted(const TrainerConfig& config, const MeshShape& shape, const Audit& run,
                   const ClassifierConfig& model, double more = 0) {
  MeshSetup setup;
  setup.model = mesh_model(model);
  setup.gpu = gpu_named("h100");
  setup.ranks = config.ranks, setup.gradient_bytes = 2;
  setup.scatters_messages = false, setup.keeps_gathered = true;  // as this engine
  setup.batch = config.batch * config.accumulate, setup.tokens = config.max_tokens;
  INFO(describe(config));
  REQUIRE(run.ledger_problem() == "");
  const Mesh mesh = Mesh::parse(config.mesh, config.ranks);
  for (int rank = 0; rank < config.ranks; ++rank) {
    const Counted counted(run, rank);
    const int stage = mesh.coordinate(rank, "pp");
    const MeshTraffic traffic = stage_traffic(setup, shape, stage);
    const MeshMemory memory = stage_memory(setup, shape, stage);
    CHECK(traffic.tensor + (stage + 1 == shape.pp ? more : 0) == static_cast<double>(counted.tensor));
    CHECK(traffic.pipeline == static_cast<double>(counted.pipeline));
    CHECK(traffic.data == static_cast<double>(counted.data));
    CHECK(memory.parameters == static_cast<double>(counted.parameters));
    CHECK(memory.gradients == static_cast<double>(counted.gradients));
    CHECK(memory.optimizer == static_cast<double>(counted.optimizer));
  }
}

}  // namespace

TEST_CASE(
    "what plan mesh says is what runs count: N up to 8, dp, pp, tp, ZeRO, sequence parallel, recomputed") {
  struct Sizes {
    int dp, pp, tp;
  };
  const Dataset data = even_data();
  for (const auto& [dp, pp, tp] : {Sizes{2, 1, 1}, {4, 1, 2}, {1, 1, 8}, {1, 2, 1}, {2, 2, 2}, {1, 4, 2}})
    for (int stage = 0; stage <= (pp == 1 ? 3 : 1); ++stage) {
      if (stage > 1 && tp != 2) continue;  // stages 2 and 3 are tried with one tp
      TrainerConfig config = even_config(dp, pp, tp, stage);
      config.sequence = tp > 1 && stage % 2 == 1;
      config.recompute = stage == 2;
      if (pp == 2 && stage == 1) config.pipeline = "interleaved", config.chunks = 2;
      MeshShape shape{.dp = dp,
                      .tp = tp,
                      .pp = pp,
                      .chunks = config.chunks,
                      .micro = 2,
                      .stage = stage,
                      .sequence = config.sequence};
      shape.recompute = config.recompute ? Recompute::kFull : Recompute::kNothing;
      check_counted(config, shape, audit(config, data), config.model);
    }
}

TEST_CASE("the same of a language model whose head is tied to the embedding") {
  for (const auto& [dp, pp, tp] : {std::tuple(2, 1, 2), {1, 1, 8}, {1, 2, 4}, {1, 4, 2}})
    for (const bool sequence : {false, true}) {
      if (tp * pp == 8 && sequence == (tp == 4)) continue;  // one of the two over 8 ranks
      TrainerConfig config = even_config(dp, pp, tp, 0);
      config.model.classes = config.model.vocabulary, config.sequence = sequence;
      config.model.every_position = config.model.tied = true;
      const int micro = std::max(2, tp);  // so that 7 tokens of each text divide by tp
      config.batch = micro * dp;
      const MeshShape shape{.dp = dp, .tp = tp, .pp = pp, .micro = micro, .stage = 0, .sequence = sequence};
      // A text's last token has no next one: 3 numbers less of each text, in 2 micro-batches.
      const double less = 2.0 * (tp - 1) / tp * 3 * 4 * micro * 2;
      check_counted(config, shape, audit(config, next_tokens(config, true)), config.model, -less);
    }
}
