// Trainings over the stages of a pipeline: the emulation's bits under every schedule, every byte explained,
// and as many live activations as the checker says.
#include <fmt/format.h>

#include <map>

#include "catch.h"
#include "ringside/base/error.h"
#include "ringside/pipeline/check.h"
#include "ringside/planner/pipeline_parts.h"
#include "ringside/trace/training_rows.h"
#include "tiny_texts.h"

using namespace ringside;
using namespace ringside::testing;

namespace {

struct Order {
  const char* name;
  int chunks;
};
constexpr Order kSchedules[] = {{"gpipe", 1}, {"1f1b", 1},        {"zb_h1", 1},
                                {"gpipe", 2}, {"interleaved", 2}, {"zb_v", 2}};

TrainerConfig config_of_pipeline(int dp, int pp, int tp, const Order& schedule, int64_t micro_batches) {
  TrainerConfig config = tiny_config(dp * pp * tp, 0);
  config.model.layers = 8;
  config.model.heads = config.model.kv_heads = 6;
  config.mesh = fmt::format("dp{},pp{},tp{}", dp, pp, tp);
  config.pipeline = schedule.name;
  config.chunks = schedule.chunks;
  config.accumulate = micro_batches;
  config.batch = 2;
  config.steps = 2;
  return config;
}

}  // namespace

namespace {

// One in `every` of all combinations of schedules, 2 to 4 stages and 1 to 8 micro-batches.
void check_schedules(int every) {
  const Dataset data = tiny_data();
  int turn = 0;
  for (const int64_t m : {1, 2, 3, 4, 5, 6, 7, 8}) {
    const BitReference reference = reference_bits(config_of_pipeline(1, 2, 1, kSchedules[1], m), data);
    for (const int p : {2, 3, 4})
      for (const Order& schedule : kSchedules) {
        if (turn++ % every != 0) continue;
        TrainerConfig config = config_of_pipeline(1, p, 1, schedule, m);
        config.stage = static_cast<int>((m + p) % 2);
        check_bits(config, data, reference);
      }
  }
}

// The same with dp and tp, sequence and evaluations, up to 8 ranks.
void check_meshes(int every) {
  const Dataset data = tiny_data();
  int turn = 0;
  for (const int p : {2, 3, 4})
    for (int dp = 1; dp * p <= 8; ++dp)
      for (int tp = dp == 1 ? 2 : 1; dp * p * tp <= 8; ++tp)
        for (const int64_t m : {1, 2, 3, 4, 5, 6, 7, 8})
          for (const Order& schedule : kSchedules) {
            if (turn++ % every != 0) continue;
            TrainerConfig config = config_of_pipeline(dp, p, tp, schedule, m);
            config.model.hidden = 24, config.model.heads = config.model.kv_heads = 12;  // for tp 2, 3 and 4
            config.stage = turn / every % 2;
            config.batch = 5;
            config.sequence = tp > 1 && m % 2 == 0;
            config.evaluate_every = m == 3 ? 1 : -1;
            check_bits(config, data, reference_bits(config, data));
          }
}

}  // namespace

TEST_CASE("schedules, 2 to 4 stages, 1 to 8 micro-batches: the emulation's bits and every byte") {
  check_schedules(17);
}
TEST_CASE("all schedules, 2 to 4 stages, 1 to 8 micro-batches", "[.][long]") { check_schedules(1); }
TEST_CASE("pp with dp, ZeRO 1, tp and sequence up to 8 ranks: the emulation's bits and every byte") {
  check_meshes(149);
}
TEST_CASE("all schedules with dp, ZeRO 1, tp and sequence up to 8 ranks", "[.][long]") { check_meshes(1); }

namespace {

std::vector<PipelinePass> passes_of(const Audit& run, int rank) {
  const Trace trace = run.store->snapshot();
  std::vector<PipelinePass> passes;
  for (const RowEvent* event : trace.find("run")->rows_of(PipelinePass::kTable))
    if (event->rank == rank) passes.push_back(*row_as<PipelinePass>(*event));
  return passes;
}

// Micro-batches of each chunk behind each pass: between forward and backward, and between the halves of a
// backward.
struct LiveParts {
  std::map<int64_t, int64_t> whole, halves;  // (chunk)
  int64_t total() const {
    int64_t sum = 0;
    for (const auto& counts : {whole, halves})
      for (const auto& [chunk, count] : counts) sum += count;
    return sum;
  }
  void take(const StepPass& pass) {
    if (pass.kind == StepPass::kForward) ++whole[pass.chunk];
    if (pass.kind == StepPass::kBackward || pass.kind == StepPass::kBackwardInput) --whole[pass.chunk];
    if (pass.kind == StepPass::kBackwardInput) ++halves[pass.chunk];
    if (pass.kind == StepPass::kBackwardWeight) --halves[pass.chunk];
  }
};

}  // namespace

namespace {

void check_live_activations(int p, int64_t m) {
  for (const Order& schedule : kSchedules) {
    TrainerConfig config = config_of_pipeline(1, p, 1, schedule, m);
    const Audit run = audit(config, next_tokens(config, false));
    const PipelineSchedule planned = schedule_of_run(config, p);
    const LiveActivations live = live_activations(planned);
    for (int stage = 0; stage < p; ++stage) {
      INFO(schedule.name << ", p " << p << ", m " << m << ", stage " << stage);
      const std::vector<PipelinePass> passes = passes_of(run, stage);
      const StepSchedule& list = planned.of_stage[static_cast<size_t>(stage)];
      REQUIRE(passes.size() == list.size() * static_cast<size_t>(config.steps));
      LiveParts parts;
      std::map<int64_t, int64_t> of_whole, of_half;  // bytes (chunk), from the first that is there
      int64_t before = 0;
      for (size_t i = 0; i < passes.size(); ++i) {
        const StepPass& pass = list[i % list.size()];
        parts.take(pass);
        CHECK(parts.total() == live.after[static_cast<size_t>(stage)][i % list.size()]);
        const int64_t change = passes[i].activations - before;
        before = passes[i].activations;
        if (pass.kind == StepPass::kForward) of_whole.try_emplace(pass.chunk, change);
        if (pass.kind == StepPass::kBackwardInput)
          of_half.try_emplace(pass.chunk, change + of_whole.at(pass.chunk));
        int64_t expected = 0;
        for (const auto& [chunk, count] : parts.whole) expected += count * of_whole.at(chunk);
        for (const auto& [chunk, count] : parts.halves) expected += count * of_half[chunk];
        REQUIRE(passes[i].activations == expected);
      }
      CHECK(before == 0);
    }
  }
}

}  // namespace

TEST_CASE("the allocator sees as many live activations as the checker says, behind every pass") {
  check_live_activations(2, 6);
  check_live_activations(4, 5);
}
TEST_CASE("the same for all stages and micro-batches", "[.][long]") {
  for (const int p : {2, 3, 4})
    for (const int64_t m : {1, 2, 3, 4, 5, 6, 7, 8}) check_live_activations(p, m);
}

TEST_CASE(
    "every byte of pp with bf16, recompute, a frozen embedding, one all-reduce a parameter, layers by hand") {
  const Dataset data = tiny_data();
  bool bf16 = true;
  for (const Order& schedule : kSchedules) {
    bf16 = !bf16;
    TrainerConfig config = config_of_pipeline(2, 2, 1, schedule, 3);
    config.precision = bf16 ? Precision::kBFloat16 : Precision::kFloat32;
    config.model.norm = NormKind::kLayer;
    config.model.where = bf16 ? NormPlace::kPost : NormPlace::kPre;
    config.model.freeze_embedding = bf16;
    config.recompute = true;
    config.naive = schedule.chunks == 1;
    config.overlap = bf16;
    config.part_layers = schedule.chunks == 1 ? "3,5" : "1,4,1,2";
    config.two_groups = bf16;
    if (bf16)
      check_settled(config, data);
    else
      check_bits(config, data, reference_bits(config, data));
  }
}

TEST_CASE("an own schedule trains where it can, and is refused before anything runs where it would hang") {
  const Dataset data = tiny_data();
  TrainerConfig config = config_of_pipeline(1, 2, 1, {"F0 F1 B0 B1 / F0 B0 F1 B1", 1}, 2);
  check_bits(config, data, reference_bits(config, data));
  config.pipeline = "F0 B0 F1 B1 / F1 F0 B0 B1";
  CHECK_THROWS_WITH(audit(config, data), ContainsSubstring("it would hang"));
  config.pipeline = "F0 B0 F1 / F0 B0 F1 B1";
  CHECK_THROWS_AS(audit(config, data), UsageError);
}

TEST_CASE("what makes no sense over stages is refused, with what would") {
  const Dataset data = tiny_data();
  const auto refused = [&](auto&& change) {
    TrainerConfig config = config_of_pipeline(1, 2, 1, kSchedules[1], 4);
    change(config);
    try {
      audit(config, data);
    } catch (const UsageError& error) {
      return std::string(error.what());
    }
    return std::string("it trained");
  };
  using Config = TrainerConfig;
  CHECK_THAT(refused([](Config& c) { c.stage = 2; }),
             ContainsSubstring("4 times the bytes; allowed are stages 0 and 1"));
  CHECK_THAT(refused([](Config& c) { c.stage = 3; }), ContainsSubstring("parameters would be gathered"));
  CHECK_THAT(refused([](Config& c) { c.model.layers = 1; }), ContainsSubstring("1 layers over 2 parts"));
  CHECK_THAT(refused([](Config& c) { c.part_layers = "3,4"; }), ContainsSubstring("7 layers together"));
  CHECK_THAT(refused([](Config& c) { c.part_layers = "8,x"; }), ContainsSubstring("part_layers=8,x"));
  CHECK_THAT(refused([](Config& c) { c.chunks = 2; }), ContainsSubstring("1f1b"));
  CHECK_THAT(refused([](Config& c) { c.pipeline = "2f2b"; }), ContainsSubstring("zb_h1"));
  CHECK_THAT(refused([](Config& c) { c.model.norm = NormKind::kBatch; }),
             ContainsSubstring("allowed are rms and layer"));
  CHECK_THAT(refused([](Config& c) { c.mesh = "", c.chunks = 2; }),
             ContainsSubstring("without pp in the mesh"));
}
