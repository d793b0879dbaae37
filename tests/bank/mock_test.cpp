#include "mock.h"

#include <catch.h>

#include "ringside/base/error.h"

namespace ringside {
namespace {

TEST_CASE("an interview is a function of its seed, level and topics") {
  const MockPlan one = plan_mock(7, Seniority::kSenior, {}), again = plan_mock(7, Seniority::kSenior, {});
  CHECK(one.lesson == again.lesson);
  CHECK(one.calculation.id == again.calculation.id);
  CHECK(one.reading.id == again.reading.id);
  CHECK(one.design.text() == again.design.text());
  std::set<std::string> calculations;
  for (uint64_t seed = 0; seed < 40; ++seed) {
    const MockPlan plan = plan_mock(seed, Seniority::kJunior, {"memory"});
    CHECK(plan.calculation.topic == "memory");
    CHECK(plan.calculation.level == 1);
    CHECK((plan.reading.topic == "code" || plan.reading.topic == "hangs"));  // no record is of memory
    CHECK(plan.design.ranks <= 16);
    CHECK(topic_of_lesson(plan_mock(seed, Seniority::kJunior, {"zero"}).lesson) == "memory");
    calculations.insert(plan.calculation.id);
  }
  CHECK(calculations.size() > 2);
  CHECK(plan_mock(1, Seniority::kJunior, {"hangs"}).lesson == "nccl_timeout");
  CHECK_THROWS_AS(plan_mock(1, Seniority::kJunior, {"nothing"}), UsageError);
}

TEST_CASE("what is asked next is about what was missed, else it leads away; each once") {
  const std::vector<FollowUp> all = {
      {"What limits the bandwidth of switches?", "Their ports."},
      {"Why does a ring send twice the buffer?", "Reduce-scatter and all-gather send it once each."},
      {"And on a thousand machines?", "Latency counts then."}};
  const std::vector<std::string> points = {
      "The buffer goes around the ring twice: reduce-scatter, all-gather.", "Switches limit the bandwidth."};
  PointsHeld held = hold_against(points, "Switches limit the bandwidth, of course.");
  CHECK(held.found == std::vector<std::string>{points[1]});
  CHECK(held.missed == std::vector<std::string>{points[0]});
  CHECK(next_follow_up(all, held, {})->question == all[1].question);
  CHECK(next_follow_up(all, held, {all[1].question})->question == all[0].question);
  held.missed.clear();
  CHECK(next_follow_up(all, held, {})->question == all[2].question);
  CHECK_FALSE(next_follow_up(all, held, {all[0].question, all[1].question, all[2].question}));
}

TEST_CASE("a design is held against the planner: what fits, what it costs, what cannot be") {
  const DesignTask task{.model = "llama_3_1_8b", .gpu = "h100", .ranks = 64, .batch = 256, .tokens = 4096};
  const DesignVerdict good = judge_design(task, "dp8 tp=8 pp 1 stage=1 micro=1 recompute=none");
  CHECK(good.fits);
  CHECK(good.mine.shape.tp == 8);
  CHECK(good.mine.shape.stage == 1);
  CHECK(good.times_best() >= 1);
  CHECK(judge_design(task, "tp8").mine.shape.dp == 8);  // what is left
  const DesignVerdict large = judge_design(task, "dp64 stage=0");
  CHECK_FALSE(large.fits);  // 16 bytes a parameter are 128 GB
  CHECK_FALSE(large.good());
  CHECK_FALSE(large.why.empty());
  CHECK(large.best.time.total() > 0);
  CHECK_THROWS_WITH(judge_design(task, "dp8 tp4 pp4"), "dp 8 x tp 4 x pp 4 is not 64 GPUs");
}

}  // namespace
}  // namespace ringside
