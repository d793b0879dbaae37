// The bytes of activations that this engine should keep (kept_activations.h) against those that the allocator
// has, and against the formula of `ringside plan mesh`: each difference is a named tensor, and nothing is
// left.
#include <fmt/format.h>

#include <functional>
#include <map>
#include <mutex>
#include <thread>

#include "catch.h"
#include "classifier_mesh.h"
#include "kept_activations.h"
#include "ringside/planner/mesh_plan.h"
#include "ringside/planner/pipeline_parts.h"
#include "ringside/planner/run_mesh.h"
#include "ringside/tensor/memory_hook.h"
#include "ringside/trace/training_rows.h"
#include "tiny_texts.h"

using namespace ringside;
using namespace ringside::testing;

namespace {

// Notes what lives behind the first forward of each rank that has the head.
struct NotingTask final : Task {
  explicit NotingTask(std::shared_ptr<const Task> noted) : inner(std::move(noted)) {}
  Declaration declare() const override { return inner->declare(); }
  int64_t count(Split split) const override { return inner->count(split); }
  std::unique_ptr<Model> make(const ModelSite& site) const override {
    const std::lock_guard lock(mutex);
    ranks[std::this_thread::get_id()] = site.rank;
    return inner->make(site);
  }
  Batch batch(Split split, const std::vector<int64_t>& samples, BatchShape least) const override {
    return inner->batch(split, samples, least);
  }
  at::Tensor loss(ModelOutput& output, const Batch& batch) const override {
    at::Tensor value = inner->loss(output, batch);
    const std::lock_guard lock(mutex);
    const int rank = ranks.at(std::this_thread::get_id());
    behind_forward.try_emplace(rank, MemoryHook::current()->live(Category::kActivations));
    return value;
  }
  Score score(const ModelOutput& output, const Batch& batch) const override {
    return inner->score(output, batch);
  }
  void predict(const ForwardedBatches& batches, RankRows& rows) const override {
    inner->predict(batches, rows);
  }
  const std::shared_ptr<const Task> inner;
  mutable std::mutex mutex;
  mutable std::map<std::thread::id, int> ranks;
  mutable std::map<int, int64_t> behind_forward;  // by rank
};

TrainerConfig kept_config(int dp, int pp, int tp) {
  TrainerConfig config = tiny_config(dp * pp * tp, 1);
  config.model = {.vocabulary = 264,
                  .hidden = 64,
                  .heads = 8,
                  .kv_heads = 8,
                  .intermediate = 64,
                  .layers = 4,
                  .classes = 264};
  config.model.every_position = true;
  config.mesh = fmt::format("dp{},pp{},tp{}", dp, pp, tp);
  config.precision = Precision::kBFloat16;
  config.batch = 2 * dp, config.steps = 1;
  config.accumulate = pp > 1 ? 2 : 1;
  return config;
}

// What the first forward of the chunk leaves on that rank.
int64_t counted(const Audit& run, const NotingTask& task, int rank, int chunk) {
  const Trace trace = run.store->snapshot();
  int64_t before = 0;
  for (const RowEvent* event : trace.find("run")->rows_of(PipelinePass::kTable)) {
    if (event->rank != rank) continue;
    const PipelinePass pass = *row_as<PipelinePass>(*event);
    if (pass.kind == StepPass::kForward && pass.chunk == chunk) return pass.activations - before;
    before = pass.activations;
  }
  return task.behind_forward.at(rank);  // of one stage
}

struct Sums {
  int64_t bytes = 0, formula = 0;
  std::string table;
  std::vector<KeptTensor> tensors;
  explicit Sums(const std::vector<KeptTensor>& kept) : tensors(kept) {
    for (const KeptTensor& one : kept) {
      bytes += one.bytes, formula += one.formula;
      table += fmt::format("{:>9} {:>9}  {}\n", one.formula, one.bytes, one.name);
    }
  }
};

ClassifierConfig model_of(const TrainerConfig& config, bool tied) {
  ClassifierConfig model = config.model;
  model.head_bias = false, model.tied = tied;
  return model;
}

// The first places of tp and copy 0, each stage and chunk.
void check_kept(const TrainerConfig& config, bool tied,
                const std::function<void(int stage, const Sums&)>& see) {
  INFO(describe(config) << (tied ? ", tied" : ""));
  const Mesh mesh = Mesh::parse(config.mesh, config.ranks);
  const int pp = mesh.size("pp"), tp = mesh.size("tp");
  const ClassifierConfig model = model_of(config, tied);
  const PipelineSchedule schedule = schedule_of_run(config, pp);
  const std::vector<UnitRange> parts = pp == 1 ? std::vector<UnitRange>{{0, model.units()}}
                                               : units_of_parts(model.layers, schedule.parts(), "");
  const auto task = std::make_shared<NotingTask>(next_tokens(config, tied));
  const Audit run = audit(config, std::static_pointer_cast<const Task>(task));
  REQUIRE(run.ledger_problem() == "");
  for (int part = 0; part < schedule.parts(); ++part) {
    const Sums kept(kept_activations(model, config, {tp, 0}, parts[static_cast<size_t>(part)], {2, 8}));
    const int stage = schedule.stage_of(part);
    INFO("part " << part << ": formula, engine\n" << kept.table);
    CHECK(kept.bytes == counted(run, *task, stage * tp, schedule.chunk_of(part)));
    see(stage, kept);
  }
}

}  // namespace

TEST_CASE("what a micro-batch is said to keep is what the allocator has, and the formula's by named terms") {
  for (const auto& [dp, pp, tp, fused] : {std::tuple(2, 1, 1, false),
                                          {1, 1, 2, true},
                                          {1, 1, 4, false},
                                          {1, 2, 1, true},
                                          {1, 2, 2, false},
                                          {1, 4, 2, true}})
    for (const bool tied : {false, true})
      for (const bool sequence : {false, true}) {
        if (sequence && (tp == 1 || (pp == 4 && !tied))) continue;
        TrainerConfig config = kept_config(dp, pp, tp);
        config.sequence = sequence, config.model.fused = fused;
        if (sequence) config.model.kv_heads = 4;
        MeshSetup setup;
        setup.model = mesh_model(model_of(config, tied));
        setup.gpu = gpu_named("h100");
        setup.ranks = config.ranks, setup.batch = config.batch, setup.tokens = 8;
        setup.attention = AttentionKernel::kPlain, setup.keeps_gathered = true;
        setup.fused = config.model.fused;
        const MeshShape shape{.dp = dp, .tp = tp, .pp = pp, .micro = 2, .sequence = sequence};
        check_kept(config, tied, [&](int stage, const Sums& kept) {
          const MeshMemory memory = stage_memory(setup, shape, stage);
          CHECK(static_cast<double>(kept.formula) == memory.activations + memory.logits);
        });
      }
}

TEST_CASE(
    "the same in fp32, of layers that are computed again, of heads that share keys, of odd sizes, of "
    "chunks") {
  const auto nothing = [](int, const Sums&) {};  // the formula divides what does not divide
  for (const bool tied : {false, true})
    for (const bool recompute : {false, true})
      for (const bool fused : {false, true}) {
        TrainerConfig config = kept_config(1, 2, 2);
        config.model.fused = fused;
        const bool narrow = (tied + recompute + fused) % 2 == 0;  // every two of the four options together
        config.precision = narrow ? Precision::kBFloat16 : Precision::kFloat32, config.recompute = recompute;
        config.model.kv_heads = 4;
        config.model.intermediate = 61, config.model.vocabulary = config.model.classes = 259;
        config.sequence = tied;
        if (recompute) config.pipeline = "interleaved", config.chunks = 2;
        check_kept(config, tied, nothing);
      }
  TrainerConfig config = kept_config(1, 1, 3);  // 8 tokens and 8 heads do not divide by 3
  config.model.heads = config.model.kv_heads = 6, config.model.hidden = 48;
  for (config.sequence = false;; config.sequence = true) {
    for (const bool tied : {false, true}) {
      config.model.fused = tied;
      check_kept(config, tied, nothing);
    }
    if (config.sequence) break;
  }
}

// The table of notes/plan_mesh.md: `train_test "[table]"`.
TEST_CASE("what a micro-batch keeps: formula, named differences, allocator", "[.][table]") {
  const std::vector<std::pair<std::string, std::vector<std::string>>> kGroups = {
      {"norms", {"norms"}},
      {"softmax", {"softmax"}},
      {"q, k unturned", {"q, k before"}},
      {"k, v repeated", {"k, v repeated"}},
      {"cos, sin", {"cos"}},
      {"edges", {"embedding", "a part", "what a part"}},
      {"head, loss", {"head", "log", "probabilities", "row of each next", "loss"}}};
  std::string table = "| mesh | stage | formula |";
  for (const auto& [group, names] : kGroups) table += " " + group + " |";
  table += " engine |\n";
  for (const auto& [dp, pp, tp, sequence, tied] : {std::tuple(8, 1, 1, false, false),
                                                   {4, 1, 2, false, false},
                                                   {4, 1, 2, true, false},
                                                   {4, 1, 2, true, true},
                                                   {2, 1, 4, true, true},
                                                   {4, 2, 1, false, false},
                                                   {2, 2, 2, false, true},
                                                   {1, 4, 2, true, true}}) {
    TrainerConfig config = kept_config(dp, pp, tp);
    config.sequence = sequence;
    check_kept(config, tied, [&](int stage, const Sums& kept) {
      if (stage > 0 && stage + 1 < pp) return;
      table += fmt::format("| dp{} pp{} tp{}{}{} | {} | {} |", dp, pp, tp, sequence ? " sequence" : "",
                           tied ? " tied" : "", stage, kept.formula);
      int64_t left = kept.bytes - kept.formula;
      for (const auto& [group, names] : kGroups) {
        int64_t more = 0;
        for (const KeptTensor& one : kept.tensors)
          if (std::ranges::any_of(names, [&](const std::string& name) { return one.name.starts_with(name); }))
            more += one.bytes - one.formula;
        left -= more;
        table += fmt::format(" {:+} |", more);
      }
      CHECK(left == 0);
      table += fmt::format(" {} |\n", kept.bytes);
    });
  }
  WARN(table);
}
