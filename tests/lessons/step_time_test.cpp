// Where a step's time goes, of planted traces; and the lesson as a front end runs it.
#include "check_text.h"
#include "ringside/train/in_turns.h"
#include "run_a_lesson.h"
#include "step_time/account.h"

namespace ringside::lessons::step_time {
using namespace testing;

namespace {

const Lesson kLesson = lesson_alone("step_time", make_lesson());
constexpr int64_t kMs = 1'000'000;

struct Planted {
  std::array<int64_t, 4> more_ms = {0, 0, 0, 30};  // of a step, by stage
  int64_t late_ms = 2;                             // when rank 1 comes to the sum of gradients
  int64_t gather_ms = 10;                          // after the update, all of it waited for
  double small_bucket = 1.0;                       // s in buckets of 1 Ki
  double large_bucket = 0.1;                       // s in one bucket
  double odd_size = 1;                             // times as long as it should, in buckets of 32 Ki
  int64_t cpu_ms = 0;                              // of rank 0's thread in a step; 0: not recorded
  int64_t cores = 2;
};

// A step of 100 ms. Gradients are summed from 20 ms on; the rank waits from 50 ms to the sum's end at 60.
void plant_step(TraceStore& store, const std::vector<Recorder*>& ranks, int stage, int64_t step,
                const Planted& of) {
  const int64_t start = 1000 * kMs * (step + 1),
                end = (100 + of.more_ms[static_cast<size_t>(stage)]) * kMs + start;
  const auto call = [&](int64_t seq, const char* tag, Op op, int64_t from, int64_t to, int64_t late) {
    for (Recorder* rank : ranks)
      rank->collective({.tag = rank->name(tag),
                        .collective_seq_id = 10 * step + seq,
                        .bytes_sent = stage == 3 ? 3000 : 2000,
                        .time_created_ns = start + from * kMs,
                        .time_started_ns = start + (from + (rank->rank() == 1 ? late : 0)) * kMs,
                        .time_completed_ns = start + to * kMs,
                        .op = op,
                        .state = CollectiveState::kCompleted});
  };
  Recorder& pen = *ranks.front();
  const auto span = [&](const char* name, int64_t from, int64_t to) {
    pen.span(name, start + from * kMs, start + to * kMs, step);
  };
  span("forward", 0, 15);
  if (stage == 3) {
    call(0, "parameters", Op::kAllGather, 0, 12, 0);
    call(1, "parameters", Op::kAllGather, 16, 19, 0);
  }
  span("backward", 17, 60);
  call(2, "gradients", Op::kReduceScatter, 20, 60, of.late_ms);
  span("wait for gradients", 50, 60);
  if (stage == 1) {
    call(3, "parameters", Op::kAllGather, 80, 80 + of.gather_ms, 0);
    span("wait for parameters", 80, 80 + of.gather_ms);
  }
  pen.span("update", start + 70 * kMs, end, step);
  pen.span("step", start, end + kMs, step);
  if (of.cpu_ms > 0) record_row(pen, CpuRow{step, static_cast<double>((step + 1) * of.cpu_ms * kMs)});
}

Trace planted(const Planted& of = {}) {
  const auto store = TraceStore::create("step_time");
  for (int stage = 0; stage < kStages; ++stage) {
    const auto ranks = store->add_section(
        section_of(stage), {{kLatency, 0.001}, {kBandwidth, 1e6}, {kSlower, 2.0}, {kCores, of.cores}}, 2);
    for (int64_t step = 0; step < 10; ++step) plant_step(*store, ranks, stage, step, of);
  }
  Recorder& sweep =
      *store->add_section(kSweep, {{kLatency, 0.001}, {kBandwidth, 1e6}, {kSlower, 2.0}}, 2).front();
  for (int64_t round = 0; round < 9; ++round)
    for (int64_t bucket = 1 << 10; bucket <= 1 << 20; bucket *= 2) {
      const double calls = (1 << 20) / static_cast<double>(bucket),
                   a = (of.small_bucket - of.large_bucket) / 1023;
      record_row(sweep, Pass{bucket, static_cast<int64_t>(calls), 1 << 20,
                             (of.large_bucket - a + a * calls) * (bucket == 1 << 15 ? of.odd_size : 1)});
    }
  return store->snapshot();
}

}  // namespace

TEST_CASE("step time: hidden and exposed make the time on the wire, and with the rest the step") {
  const StepAccount first = median_step(planted(), 0).value(), second = median_step(planted(), 1).value();
  const Carried& sum = first.of(Kind::kGradients);
  CHECK(sum.calls == 1);
  CHECK(sum.wire == Approx(0.038));  // from when rank 1 has come
  CHECK(sum.exposed == Approx(0.010));
  CHECK(sum.hidden() == Approx(0.028));
  CHECK(sum.model == Approx(0.001 + 2000 / 1e6));
  CHECK(first.step == Approx(0.100));
  CHECK(first.compute == Approx(0.090));
  CHECK(first.others == Approx(0).margin(1e-12));
  CHECK(second.of(Kind::kUpdated).exposed == Approx(0.010));
  CHECK(second.of(Kind::kUpdated).hidden() == Approx(0).margin(1e-12));
  CHECK(second.compute + second.others + second.all().exposed == Approx(second.step));
}

TEST_CASE("step time: waits for a rank or a core are no time on the wire; crowded cores tell nothing") {
  const StepAccount step = median_step(planted({.late_ms = 34}), 0).value();
  CHECK(step.of(Kind::kGradients).wire == Approx(0.006));
  CHECK(step.of(Kind::kGradients).exposed == Approx(0.006));
  CHECK(step.others == Approx(0.004));
  const StepAccount own = median_step(planted({.cpu_ms = 70}), 0).value();
  CHECK(own.compute == Approx(0.070));
  CHECK(own.others == Approx(0.020));                                         // no core
  CHECK(median_step(planted({.cpu_ms = 200}), 0)->compute == Approx(0.090));  // not more than there is
  CHECK(crowded(planted({.cores = 2})) == "");
  CHECK(lacks(crowded(planted({.cores = 1})), {"2 ranks share 1 cores"}) == "");
  CHECK(crowded(planted({.cpu_ms = 2, .cores = 1})) == "");  // the link takes longer than that
  for (const char* claim : {"slower", "as_bytes", "free", "hidden"})
    CHECK(verdict_alone(kLesson, claim, planted({.cores = 1})) == "not_testable");
  CHECK(answer_of(kLesson, "factor", planted({.cores = 1})).empty());
  CHECK(figure_text(kLesson, "parts", planted({.cores = 1})).find("cannot be told") != std::string::npos);
}

TEST_CASE("step time: a gather belongs to the next pass; the fit recovers a planted a and b") {
  const StepAccount last = median_step(planted(), 3).value();
  CHECK(last.of(Kind::kForward).calls == 1);
  CHECK(last.of(Kind::kBackward).calls == 1);
  CHECK(last.of(Kind::kUpdated).calls == 0);
  CHECK(step_seconds(planted(), 3).size() == 9);
  CHECK(step_seconds(Trace(), 3).empty());
  std::vector<Pass> passes;
  for (const int64_t calls : {1, 8, 64, 1024})
    passes.push_back({0, calls, 1 << 20, 3e-4 * calls + 2e-9 * (1 << 20)});
  const TwoCoefficients line = fit(passes).value();
  CHECK(line.a == Approx(3e-4));
  CHECK(line.b == Approx(2e-9));
  CHECK_FALSE(fit({passes[0], passes[0]}));
  CHECK_FALSE(fit({}));
}

TEST_CASE("step time: a doctored trace changes each verdict and each measured answer") {
  const auto verdict = [](const char* claim, const Planted& of) {
    return verdict_alone(kLesson, claim, planted(of));
  };
  CHECK(verdicts_of(kLesson, planted()) ==
        "slower holds, as_bytes fails, free holds, hidden partly, larger holds, a_plus_bn holds");
  CHECK(verdict("slower", {.more_ms = {0, 0, 0, -5}}) == "fails");
  CHECK(verdict("as_bytes", {.more_ms = {0, 0, 0, 350}}) == "holds");
  CHECK(verdict("free", {.more_ms = {0, 10, 0, 0}}) == "fails");
  CHECK(verdict("larger", {.small_bucket = 0.1}) == "fails");
  CHECK(verdict("a_plus_bn", {.odd_size = 3}) == "fails");
  CHECK(verdict("a_plus_bn", {.small_bucket = 10}) ==
        "not_testable");  // a call of 10 ms, and 1 ms of the link
  const auto answer = [](const char* id, const Planted& of) { return answer_of(kLesson, id, planted(of)); };
  CHECK(answer("factor", {}) == Words{"up to 1.45 times as long"});
  CHECK(answer("factor", {.more_ms = {0, 0, 0, 80}}) == Words{"1.45 to 2 times as long"});
  CHECK(answer("buckets", {}) == Words{"2 to 20 times as long"});
  CHECK(answer("buckets", {.small_bucket = 10}) == Words{"more than 20 times as long"});
  CHECK(question_of(kLesson, "calls").measured(planted()) == 1);
  check_says_nothing(kLesson);
  const PredictionSpec& calls = question_of(kLesson, "calls");
  for (const char* bucket : {"bucket=256Ki", "bucket=4Ki"})
    CHECK(askable(calls, scenario_of(kLesson, {bucket})));
}

TEST_CASE("step time: at best: what can be hidden is, and accumulation is paid for by stages 2 and 3") {
  const auto at = [](const std::vector<std::string>& words, int stage) {
    return step_at_best(scenario_of(kLesson, words), stage);
  };
  const Case real;
  const double c = real.compute_s(), C = real.half_bytes() / 12.5e9;
  CHECK(at({}, 0) == Approx(c + 2 * C - 2 * c / 3));
  CHECK(at({}, 1) == Approx(at({}, 0)));  // C is more than backward hides
  CHECK(at({}, 3) == Approx(c + C - c / 3 + 2 * C - 2 * c / 3));
  CHECK(at({"batch=64"}, 3) == Approx(4 * c));
  CHECK(at({"batch=64"}, 1) == Approx(4 * c + C));
  CHECK(at({"accumulate=8"}, 3) == Approx(8 * at({}, 3)));
  CHECK(at({"accumulate=8"}, 0) == Approx(at({}, 0) + 7 * c));
  CHECK(at({"link=none"}, 3) == Approx(c));
  CHECK(at({"overlap=off"}, 0) == Approx(c + 2 * C));
  CHECK(at({"prefetch=off"}, 3) > at({}, 3));
}

TEST_CASE("step time: every byte is explained, every part adds up, every figure can be shown") {
  const Trace trace = run_lesson(kLesson, {"rounds=1", "link=pcie"});
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
    CHECK(step.of(Kind::kForward).calls == step.of(Kind::kBackward).calls);
    CHECK((step.of(Kind::kForward).calls > 0) == (stage == 3));
    CHECK((step.of(Kind::kUpdated).calls > 0) == (stage == 1 || stage == 2));
  }
  const PredictionSpec& calls = question_of(kLesson, "calls");
  CHECK(*calls.measured(trace) == calls.formula(scenario_of(kLesson, {})));
  CHECK(sweep_of(trace).buckets.size() == 6);
  CHECK_FALSE(large_enough(sweep_of(trace)));  // one round tells nothing
  CHECK(large_enough(sweep_of(planted())) == 1 << 20);
  for (const FigureSpec& spec : kLesson.figures) CHECK(!figure_text(kLesson, spec.id, trace).empty());
  const Trace three =
      run_lesson(kLesson, {"rounds=1", "link=nvlink", "ranks=3", "bucket=4Ki", "accumulate=2"});
  CHECK(kLesson.failed_check(three).empty());
  const PredictionSpec& asked = question_of(kLesson, "calls");
  const Config config = scenario_of(kLesson, {"ranks=3", "bucket=4Ki", "accumulate=2"});
  CHECK(*asked.measured(three) == asked.formula(config));
}

}  // namespace ringside::lessons::step_time
