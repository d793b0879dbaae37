// What a mesh keeps and sends against the rows that runs are held to (tests/train counts those), its
// activations against the paper, its pipeline against the clock, and the search.
#include "ringside/planner/mesh_plan.h"

#include <algorithm>
#include <chrono>

#include "catch.h"
#include "classifier_mesh.h"
#include "ringside/base/error.h"
#include "ringside/ledger/ledger.h"
#include "ringside/pipeline/check.h"
#include "ringside/planner/model_shapes.h"
#include "ringside/planner/pipeline_parts.h"
#include "ringside/planner/tensor_parallel_rows.h"
#include "ringside/planner/zero_plan.h"

using namespace ringside;
using namespace ringside::testing;

namespace {

// All sizes divide by 8.
ClassifierConfig even_classifier() {
  ClassifierConfig config;
  config.vocabulary = 256, config.hidden = 64, config.heads = config.kv_heads = 8;
  config.intermediate = 128, config.layers = 3, config.classes = 8;
  return config;
}

MeshSetup setup_of(const ClassifierConfig& config, int64_t ranks, int64_t batch, int64_t tokens) {
  MeshSetup setup;
  setup.model = mesh_model(config);
  setup.gpu = gpu_named("h100");
  setup.ranks = ranks, setup.batch = batch, setup.tokens = tokens, setup.gradient_bytes = 2;
  setup.scatters_messages = false, setup.keeps_gathered = true;  // as this engine
  return setup;
}

struct EngineRows {
  Mesh mesh;
  std::vector<LedgerRow> rows;
};

// What this engine plans, and counts, of a step in the same shape.
EngineRows rows_of(ClassifierConfig config, const MeshSetup& setup, const MeshShape& shape) {
  ZeroRunSetup run;
  run.ranks = static_cast<int>(setup.ranks);
  run.mesh =
      "dp" + std::to_string(shape.dp) + ",pp" + std::to_string(shape.pp) + ",tp" + std::to_string(shape.tp);
  run.stage = shape.stage, run.steps = 1, run.accumulate = shape.micro_batches(setup.batch);
  run.sequence = shape.sequence, run.recompute = shape.recompute == Recompute::kFull;
  run.bucket_elements = int64_t{1} << 30, run.clip_norm = 0;
  run.chunks = shape.chunks, run.pipeline = shape.chunks > 1 ? "interleaved" : "1f1b";
  const Mesh mesh = Mesh::parse(run.mesh, run.ranks);
  place_on_stages(config, run, mesh);
  run.shapes = classifier_shapes(config);
  const std::vector<TokenBlock> trained(static_cast<size_t>(run.accumulate), {shape.micro, setup.tokens});
  run.predict_model = [&](int rank, const Mesh& over, RankRows& rows) {
    const InGroup tp{over.size("tp"), over.coordinate(rank, "tp")},
        pp{over.size("pp"), over.coordinate(rank, "pp")};
    predict_copy(config, run, {tp, pp}, {trained, {}}, rows);
  };
  return {mesh, predict_zero_run(run)};
}

struct RankBytes {
  double tensor = 0, pipeline = 0, data = 0, parameters = 0, gradients = 0, optimizer = 0;
};
RankBytes bytes_of(const std::vector<LedgerRow>& rows, int rank) {
  RankBytes bytes;
  for (const LedgerRow& row : rows) {
    if (row.rank != rank || !row.predicted) continue;
    const double value = static_cast<double>(*row.predicted);
    const bool sent = row.what == "traffic", state = row.at == kStepEntry;
    const bool of_activations = row.category.starts_with("activation") || row.category == "norm gradients";
    if (sent && of_activations) (row.op == "send" ? bytes.pipeline : bytes.tensor) += value;
    if (sent && (row.category == "gradients" || row.category == "parameters")) bytes.data += value;
    if (state && row.category == "parameters") bytes.parameters += value;
    if (state && row.category == "gradients") bytes.gradients += value;
    if (state && row.category == "optimizer") bytes.optimizer += value;
  }
  return bytes;
}

void check_bytes(const ClassifierConfig& config, const MeshSetup& setup, const MeshShape& shape) {
  INFO("dp " << shape.dp << ", pp " << shape.pp << ", v " << shape.chunks << ", tp " << shape.tp << ", stage "
             << shape.stage << ", sequence " << shape.sequence << ", recompute "
             << to_string(shape.recompute));
  const EngineRows engine = rows_of(config, setup, shape);
  for (int rank = 0; rank < setup.ranks; ++rank) {
    const RankBytes bytes = bytes_of(engine.rows, rank);
    const int stage = engine.mesh.coordinate(rank, "pp");
    const MeshTraffic traffic = stage_traffic(setup, shape, stage);
    const MeshMemory memory = stage_memory(setup, shape, stage);
    CHECK(traffic.tensor == bytes.tensor);
    CHECK(traffic.pipeline == bytes.pipeline);
    CHECK(traffic.data == bytes.data);
    CHECK(memory.parameters == bytes.parameters);
    CHECK(memory.gradients == bytes.gradients);
    CHECK(memory.optimizer == bytes.optimizer);
  }
}

MeshSetup gpt_setup(int64_t layers, int64_t hidden, int64_t heads, int64_t tokens) {
  MeshSetup setup;
  setup.model = gpt_model("gpt", layers, hidden, heads, 51'200, tokens);
  setup.gpu = gpu_named("a100");
  setup.tokens = tokens, setup.attention = AttentionKernel::kPlain;
  return setup;
}

}  // namespace

TEST_CASE("mesh plan: bytes by dimension and state are those of this engine's runs, N = 1 to 8, exactly",
          "[long]") {
  const ClassifierConfig config = even_classifier();
  for (const int64_t dp : {1, 2, 4, 8})
    for (int64_t tp = 1; dp * tp <= 8; tp *= 2)
      for (int stage = 0; stage <= 3; ++stage)
        for (const bool sequence : {false, true})
          for (const Recompute recompute : {Recompute::kNothing, Recompute::kFull}) {
            if (sequence && tp == 1) continue;
            MeshShape shape{.dp = dp, .tp = tp, .micro = 2, .stage = stage, .sequence = sequence};
            shape.recompute = recompute;
            check_bytes(config, setup_of(config, dp * tp, dp * 2 * 3, 16), shape);
          }
}

TEST_CASE("mesh plan: so they are over the stages of a pipeline, interleaved or not", "[long]") {
  ClassifierConfig config = even_classifier();
  config.layers = 8;
  struct Sizes {
    int64_t dp, pp, tp;
  };
  for (const auto& [dp, pp, tp] :
       {Sizes{1, 2, 1}, {1, 4, 1}, {1, 8, 1}, {2, 2, 1}, {2, 2, 2}, {1, 4, 2}, {1, 2, 4}})
    for (const int64_t chunks : {1, 2})
      for (const int stage : {0, 1})
        for (const bool sequence : {false, true}) {
          if ((sequence && tp == 1) || chunks * pp > config.layers) continue;
          const MeshShape shape{.dp = dp,
                                .tp = tp,
                                .pp = pp,
                                .chunks = chunks,
                                .micro = 2,
                                .stage = stage,
                                .sequence = sequence};
          check_bytes(config, setup_of(config, dp * tp * pp, dp * 2 * 3, 16), shape);
        }
}

TEST_CASE("mesh plan: parameters are those that the shapes of released models have") {
  for (const std::string& name : packaged_models()) {
    const ModelConfig config = read_model_config(packaged_model(name));
    if (config.vision) continue;  // its text alone is planned
    const auto shapes = model_shapes(config, {ModelHead::Kind::kLanguageModel});
    CHECK(mesh_model(config, name).parameters() == static_cast<double>(count_parameters(shapes)));
  }
  // arXiv:2104.04473, equation 2: 12 l h^2 (1 + 13/12h + (V + s)/12lh), and the last norm.
  const MeshModel gpt = gpt_model("1.7B", 24, 2304, 24, 51'200, 2048);
  const double l = 24, h = 2304;
  CHECK(gpt.parameters() == 12 * l * h * h + 13 * l * h + (51'200 + 2048) * h + 2 * h);
}

TEST_CASE("mesh plan: operations of a GPT step are Megatron-LM's 72 B s l h^2 (1 + s/6h + V/12lh)") {
  const double B = 512, s = 2048, l = 24, h = 2304, V = 51'200;
  const MeshModel model = gpt_model("1.7B", 24, 2304, 24, 51'200, 2048);
  CHECK(step_flops(model, B, s) ==
        Approx(72 * B * s * l * h * h * (1 + s / (6 * h) + V / (12 * l * h))).epsilon(1e-12));
}

TEST_CASE(
    "mesh plan: a layer's activations are Korthikanti's, with tp, sequence parallel, selective and full") {
  const double s = 2048, b = 4, h = 6144, a = 64, t = 8;
  MeshSetup setup = gpt_setup(48, 6144, 64, 2048);
  MeshShape shape{.micro = 4};
  const auto bytes = [&] { return layer_activations(setup, shape); };
  CHECK(bytes() == Approx(s * b * h * (34 + 5 * a * s / h)));
  shape.tp = 8;
  CHECK(bytes() == Approx(s * b * h * (10 + 24 / t + 5 * a * s / (h * t))));
  shape.recompute = Recompute::kSelective;
  CHECK(bytes() == Approx(s * b * h * (10 + 24 / t)));
  shape.sequence = true;
  CHECK(bytes() == Approx(s * b * h * 34 / t));
  shape.recompute = Recompute::kNothing;
  CHECK(bytes() == Approx(s * b * h / t * (34 + 5 * a * s / h)));
  shape.recompute = Recompute::kFull, shape.sequence = false;
  CHECK(bytes() == Approx(2 * s * b * h));
}

TEST_CASE("mesh plan: stage 0 keeps p micro-batches under 1F1B, and 1 + (p-1)/(pv) of them interleaved") {
  MeshSetup setup = gpt_setup(32, 1024, 16, 1024);
  setup.model.dropout = false, setup.model.classes = 2;  // nothing but layers
  setup.batch = 64;
  for (const int64_t p : {2, 4, 8})
    for (const int64_t v : {1, 2}) {
      const MeshShape shape{.pp = p, .chunks = v};
      const double live = v == 1 ? 1 : 1 + static_cast<double>(p - 1) / static_cast<double>(p * v);
      CHECK(mesh_memory(setup, shape).activations == Approx(32 * live * layer_activations(setup, shape)));
    }
}

TEST_CASE("mesh plan: chunks that live on each stage are those of the schedule, whatever m") {
  MeshSetup setup = gpt_setup(64, 1024, 16, 1024);
  setup.model.dropout = false, setup.model.classes = 2;
  for (const int64_t p : {2, 4})
    for (const int64_t v : {2, 8})
      for (const int64_t m : {1, 2, 3, 5, 6, 7, 8, 11, 16}) {
        INFO("p " << p << ", v " << v << ", m " << m);
        setup.batch = m;
        const MeshShape shape{.pp = p, .chunks = v};
        const double chunk = 64.0 / static_cast<double>(p * v) * layer_activations(setup, shape);
        const LiveActivations live =
            live_activations(interleaved(static_cast<int>(p), m, static_cast<int>(v)));
        for (int64_t stage = 0; stage + 1 < p; ++stage)  // the last one has the head's input besides
          CHECK(stage_memory(setup, shape, stage).activations / chunk ==
                Approx(static_cast<double>(live.peak[static_cast<size_t>(stage)])));
      }
}

TEST_CASE("mesh plan: what sequence parallelism does not keep it gathers again, in backward") {
  MeshSetup setup = gpt_setup(48, 6144, 64, 2048);
  setup.batch = 4;
  const MeshShape shape{.tp = 8, .micro = 4, .sequence = true};
  const MeshTraffic again = mesh_traffic(setup, shape);
  const MeshTime hidden = mesh_time(setup, shape);
  setup.hides_tensor = false;
  const MeshTime exposed = mesh_time(setup, shape);
  setup.keeps_gathered = true;
  const double E = 2.0 * 4 * 2048 * 6144, half = 7.0 / 8;
  CHECK(again.tensor - mesh_traffic(setup, shape).tensor == Approx((2 * 48 + 1) * half * E));
  // Forward two calls a layer, backward two, and the halves of one more.
  CHECK(exposed.tensor == Approx(mesh_time(setup, shape).tensor * 5 / 4));
  setup.hides_tensor = true;
  CHECK(hidden.tensor == Approx(mesh_time(setup, shape).tensor));  // behind products of input gradients
}

TEST_CASE("mesh plan: ZeRO 2 and 3 set a shard of the gradients to zero, and have units whole for a while") {
  MeshSetup setup = gpt_setup(4, 1024, 16, 1024);
  setup.ranks = setup.batch = 8;
  const auto at = [&](int stage) { return MeshShape{.dp = 8, .stage = stage}; };
  const double passes = mesh_time(setup, at(1)).update - mesh_time(setup, at(2)).update;
  const double bytes = setup.model.parameters() * setup.gradient_bytes * 7 / 8;
  CHECK(passes == Approx(bytes / (setup.gpu.memory_bytes_per_s * setup.gpu.memory_share)));
  const double layer = layer_elements(setup.model, 1), embedding = embedding_elements(setup.model, 1);
  REQUIRE(embedding > layer);
  CHECK(mesh_memory(setup, at(1)).staged == 0);
  CHECK(mesh_memory(setup, at(2)).staged == setup.gradient_bytes * embedding);
  CHECK(mesh_memory(setup, at(2)).gathered == 0);
  CHECK(mesh_memory(setup, at(3)).gathered == 2 * (embedding + layer));
}

TEST_CASE("mesh plan: the closed form of a step is the clock's, within 1 % where stages are alike") {
  MeshSetup setup = gpt_setup(64, 8192, 64, 2048);
  setup.model.classes = 2;  // no head to be slower than the others
  for (const int64_t p : {2, 4, 8})
    for (const int64_t v : {1, 2, 4})
      for (double one = 0; const int64_t m : {8, 16, 64}) {
        setup.batch = m;
        const MeshShape shape{.tp = 8, .pp = p, .chunks = v};
        INFO("p " << p << ", v " << v << ", m " << m);
        const MeshTime closed = mesh_time(setup, shape), replayed = replay_mesh(setup, shape);
        const double ideal = closed.compute + closed.tensor;
        const double each = closed.messages / static_cast<double>(v * m + p - 1);
        if (m == 8) one = each;
        CHECK(each == Approx(one));  // of as many messages as passes, those in the bubble too
        CHECK(replayed.bubble / ideal ==
              Approx(static_cast<double>(p - 1) / static_cast<double>(v * m)).epsilon(0.01));
        CHECK(replayed.total() == Approx(closed.total()).epsilon(0.02));
      }
}

TEST_CASE("mesh plan: ZB-H1 has about half of 1F1B's bubble, on the clock and in the closed form") {
  MeshSetup setup = gpt_setup(64, 8192, 64, 2048);
  setup.model.classes = 2;
  for (const int64_t p : {2, 4, 8})
    for (const int64_t m : {8, 16, 64}) {
      setup.batch = m;
      MeshShape shape{.tp = 8, .pp = p};
      INFO("p " << p << ", m " << m);
      const double bubble = replay_mesh(setup, shape).bubble;
      shape.zero_bubble = true;
      const MeshTime closed = mesh_time(setup, shape), replayed = replay_mesh(setup, shape);
      CHECK(replayed.bubble == Approx(0.5 * bubble).epsilon(0.05));  // W is not quite a third
      CHECK(replayed.total() == Approx(closed.total()).epsilon(0.02));
    }
}

TEST_CASE("mesh plan: a stage that is slower than the others is waited for") {
  MeshSetup setup = gpt_setup(8, 1024, 16, 2048);  // a head of 51,200 rows is as long as layers
  setup.batch = 32;
  const MeshShape shape{.pp = 4};
  const MeshTime time = replay_mesh(setup, shape);
  setup.model.classes = 2;
  const MeshTime without = replay_mesh(setup, shape);
  CHECK(time.compute > 1.3 * without.compute);
  CHECK(time.bubble > 0);  // and it is not the slow stage that waits for the others
}

TEST_CASE("mesh plan: every mesh is planned, refused or too large, and the best come first") {
  MeshSetup setup = gpt_setup(96, 12'288, 96, 2048);
  setup.ranks = 1024, setup.batch = 1536;
  const MeshPlan plan = plan_meshes(setup);
  int64_t refused = 0;
  for (const MeshRefusal& refusal : plan.refusals) refused += refusal.count;
  CHECK(plan.meshes == 66);  // of 2^10 = dp tp pp
  CHECK(std::ssize(plan.best) + refused == plan.meshes);
  REQUIRE(!plan.best.empty());
  const size_t replayed = std::min(plan.best.size(), kReplayedMeshes);
  for (size_t i = 0; i < plan.best.size(); ++i) {
    const MeshRow& row = plan.best[i];
    CHECK(row.memory.total() <= setup.gpu.memory_bytes);
    CHECK(row.shape.dp * row.shape.tp * row.shape.pp == setup.ranks);
    if (i > 0 && i < replayed) CHECK(row.time.total() >= plan.best[i - 1].time.total());
  }
  // As GPT-3 was trained (arXiv:2104.04473): tp in a node, pp above it, within 5 % of the best.
  const auto trained = [](const MeshRow& row) { return row.shape.tp == 8 && row.shape.pp == 8; };
  const auto row = std::ranges::find_if(plan.best, trained);
  REQUIRE(row != plan.best.end());
  CHECK(row->time.total() < 1.05 * plan.best.front().time.total());
  CHECK(plan.refusals.front().reason == "tp is more than the 8 GPUs of a node");
  CHECK(plan.refusals.back().reason.starts_with("no setting fits into 80 GB: the smallest needs "));
}

TEST_CASE("mesh plan: what does not divide is named") {
  MeshSetup setup = gpt_setup(10, 1536, 12, 512);
  setup.ranks = 8, setup.batch = 12;
  const MeshPlan plan = plan_meshes(setup);
  std::string reasons;
  for (const MeshRefusal& refusal : plan.refusals) reasons += refusal.reason + "\n";
  setup.model.kv_heads = 2, setup.model.intermediate = 6145;
  for (const MeshRefusal& refusal : plan_meshes(setup).refusals) reasons += refusal.reason + "\n";
  CHECK_THAT(reasons, ContainsSubstring("kv heads 2 are not divisible by tp 4"));
  CHECK_THAT(reasons, ContainsSubstring("columns of the MLP 6145 are not divisible by tp 2"));
  CHECK_THAT(reasons, ContainsSubstring("heads 12 are not divisible by tp 8"));
  CHECK_THAT(reasons,
             ContainsSubstring("layers 10 (or 12, with embedding and head) are not divisible by pp"));
  CHECK_THAT(reasons, ContainsSubstring("a batch of 12 sequences is not divisible by dp"));
  setup.batch = 0;
  CHECK_THROWS_AS(plan_meshes(setup), UsageError);
}

TEST_CASE("mesh plan: dp's bytes, times and update are those of their formulas, gradients in fp32") {
  MeshSetup setup = gpt_setup(2, 64, 4, 32);
  setup.ranks = 4, setup.batch = 16, setup.hides_data = false;  // m = 4
  const double e = setup.model.parameters(), layer = 12 * 64 * 64 + 13 * 64, embedding = (51'200 + 32) * 64;
  for (const double stage : {0, 1, 2, 3}) {  // 2, 1, m reductions of 4 bytes; 0, 1, 1, 2 m gathers of 2
    CAPTURE(stage);
    const MeshShape shape{.dp = 4, .stage = static_cast<int>(stage)};
    const double reduced = stage == 0 ? 2 : stage == 1 ? 1 : 4, gathered = stage == 0 ? 0 : stage < 3 ? 1 : 8;
    const double sent = 3.0 / 4 * e * (4 * reduced + 2 * gathered);
    CHECK(mesh_traffic(setup, shape).data == sent);
    CHECK(mesh_memory(setup, shape).gathered == (stage == 3 ? 2 * (embedding + layer) : 0));
    CHECK(mesh_memory(setup, shape).staged == (stage >= 2 ? 4 * embedding : 0));
    // 10 us a call and 3 hops a pass.
    const double calls = stage == 0 ? 1 : reduced + gathered, passes = reduced + gathered;
    const double rate = setup.gpu.inside.bytes_per_s * kInsideShare, hop = setup.gpu.inside.latency_s;
    const MeshTime time = mesh_time(setup, shape);
    CHECK(time.data == Approx(sent / rate + calls * 10e-6 + passes * 3 * hop).epsilon(1e-12));
    // AdamW reads and writes 26 bytes, the gradients twice 4, in 20 launches; 4 bytes are zeroed in 4.
    const double bytes = (26 + 2 * 4) * (stage > 0 ? e / 4 : e) + 4 * (stage >= 2 ? e / 4 : e);
    const double memory = setup.gpu.memory_bytes_per_s * setup.gpu.memory_share;
    CHECK(time.update == Approx(bytes / memory + 24 * kKernelLaunch).epsilon(1e-12));
  }
  CHECK(plan_meshes(setup, {.pp = 2, .stages = {2, 3}}).settings == 0);  // stages 2 and 3 with pp = 1
}

TEST_CASE("mesh plan: 16,384 ranks take less than 5 s", "[long]") {
  MeshSetup setup;
  setup.model = {{.hidden = 16'384, .layers = 126, .heads = 128, .kv_heads = 8}, "405B"};
  setup.model.head_size = 128, setup.model.intermediate = 53'248, setup.model.vocabulary = 128'256;
  setup.gpu = gpu_named("h100");
  setup.ranks = 16'384, setup.batch = 16'384, setup.tokens = 8192;
  const auto began = std::chrono::steady_clock::now();
  const MeshPlan plan = plan_meshes(setup);
  CHECK(std::chrono::steady_clock::now() - began < std::chrono::seconds(5));
  CHECK(plan.settings > 1000);
}
