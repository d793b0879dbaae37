// Where a step's time goes, of planted traces; and the lesson as a front end runs it.
#include "check_text.h"
#include "planted_steps.h"
#include "run_a_lesson.h"
#include "step_time/parts.h"

namespace ringside::lessons::step_time {
using namespace testing;

namespace {

const Lesson kLesson = lesson_alone("step_time", make_lesson());

struct Planted {
  std::array<int64_t, 4> more_ms = {0, 0, 0, 30};  // of a step, by stage
  int64_t cpu_ms = 0;                              // of rank 0's thread in a step; 0: not recorded
  int64_t cores = 2;
};

Trace planted(const Planted& of = {}) {
  const auto store = TraceStore::create("step_time");
  for (int stage = 0; stage < kStages; ++stage) {
    Attributes attributes = link_attributes({"", 0.001, 1e6});
    attributes[kSlower] = 2.0, attributes[kCores] = of.cores;
    const auto ranks = store->add_section(section_of(stage), attributes, 2);
    for (int64_t step = 0; step < 10; ++step)
      plant_step(ranks, step,
                 {.more_ms = of.more_ms[size_t(stage)],
                  .gathers = stage == 3,
                  .gather_ms = stage == 1 ? 10 : 0,
                  .sent = stage == 3 ? 3000 : 2000,
                  .cpu_ms = of.cpu_ms});
  }
  record_carried(*store);
  return store->snapshot();
}

}  // namespace

TEST_CASE("step time: crowded cores tell nothing") {
  CHECK(crowded(planted({.cores = 2})) == "");
  CHECK(lacks(crowded(planted({.cores = 1})), {"2 ranks share 1 core,"}) == "");
  // The link takes longer than that, but 2 ms of 100 computed are 88 of waits for ranks or a core.
  CHECK(lacks(crowded(planted({.cpu_ms = 2, .cores = 1})), {"waits for ranks or a core"}) == "");
  CHECK(verdicts_of(kLesson, planted({.cpu_ms = 50}))
            .starts_with("slower not_testable, as_bytes not_testable, free not_testable"));
  for (const char* claim : {"slower", "as_bytes", "free", "hidden"})
    CHECK(verdict_alone(kLesson, claim, planted({.cores = 1})) == "not_testable");
  CHECK(answer_of(kLesson, "factor", planted({.cores = 1})).empty());
  CHECK(answer_of(kLesson, "exposed", planted({.cores = 1})).empty());
  CHECK(figure_text(kLesson, "parts", planted({.cores = 1})).find("cannot be told") != std::string::npos);
  // The sentence has the reason that the claims have.
  CHECK(figure_text(kLesson, "parts", planted({.cpu_ms = 50})).find("of stage 0's step are waits") !=
        std::string::npos);
}

TEST_CASE("step time: a doctored trace changes each verdict and each measured answer") {
  const auto verdict = [](const char* claim, const Planted& of) {
    return verdict_alone(kLesson, claim, planted(of));
  };
  CHECK(verdicts_of(kLesson, planted()) == "slower holds, as_bytes fails, free holds, hidden partly");
  CHECK(verdict("slower", {.more_ms = {0, 0, 0, -5}}) == "fails");
  CHECK(verdict("as_bytes", {.more_ms = {0, 0, 0, 350}}) == "holds");
  CHECK(verdict("free", {.more_ms = {0, 10, 0, 0}}) == "fails");
  const auto answer = [](const char* id, const Planted& of) { return answer_of(kLesson, id, planted(of)); };
  CHECK(answer("factor", {}) == Words{"up to 1.45 times as long"});
  CHECK(answer("factor", {.more_ms = {0, 0, 0, 80}}) == Words{"1.45 to 2 times as long"});
  CHECK(answer("exposed", {}) == Words{"stage 1's gather after the update"});
  CHECK(step_seconds(planted(), 3).size() == 9);
  CHECK(step_seconds(Trace(), 3).empty());
  check_says_nothing(kLesson);
}

TEST_CASE("step time: at best: the rule with the scenario's micro-batch and link") {
  const auto at = [](const std::vector<std::string>& words, int stage) {
    return step_at_best(scenario_of(kLesson, words), stage);
  };
  const double c = kCase.compute_s(), C = kCase.half_bytes() / 12.5e9;
  CHECK(at({}, 0) == Approx(c + 2 * C - 2 * c / 3));
  CHECK(at({"batch=64"}, 3) == Approx(4 * c));
  CHECK(at({"batch=64"}, 1) == Approx(4 * c + C));
  CHECK(at({"accumulate=8"}, 0) == Approx(at({}, 0) + 7 * c));
  CHECK(at({"link=none"}, 3) == Approx(c));
  CHECK(at({"overlap=off"}, 0) == Approx(c + 2 * C));
  CHECK(at({"prefetch=off"}, 3) > at({}, 3));
}

TEST_CASE("step time: every byte is explained, every part adds up, every figure can be shown") {
  const Trace trace =
      run_lesson(kLesson, {"rounds=1", "link=pcie", "ranks=3", "batch=6", "bucket=4Ki", "accumulate=2"});
  CHECK(kLesson.failed_check(trace).empty());
  CHECK(!trace.rows().ledger.empty());
  for (int stage = 0; stage < kStages; ++stage) {
    INFO("stage " << stage);
    const StepAccount step = median_step(trace, stage).value();
    CHECK(step.compute + step.others + step.all().exposed == Approx(step.step));
    for (const Carried& one : step.kinds) {
      CHECK(one.wire >= one.model);
      CHECK(one.hidden() >= -1e-9);
    }
    CHECK(step.of(StepCall::kForwardGather).calls == step.of(StepCall::kBackwardGather).calls);
    CHECK((step.of(StepCall::kForwardGather).calls > 0) == (stage == 3));
    CHECK((step.of(StepCall::kUpdateGather).calls > 0) == (stage == 1 || stage == 2));
  }
  for (const FigureSpec& spec : kLesson.figures) CHECK(!figure_text(kLesson, spec.id, trace).empty());
}

}  // namespace ringside::lessons::step_time
