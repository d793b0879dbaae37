#include "ringside/session/judge.h"

#include "catch.h"
#include "check_text.h"
#include "ringside/base/error.h"
#include "ringside/session/step_bench.h"

using namespace ringside;

namespace {

const std::vector<ParameterSpec> kSpecs = {{"n", "", "", ParameterKind::kInteger, "4", 1, 8}};

// A trace whose only figure is `sent`, as a run of it to the end would leave it.
Trace trace_of(double sent, bool complete = true) {
  const auto store = TraceStore::create("demo");
  store->add_section("all", {}, 1)[0]->scalar("sent", 0, sent);
  TraceRows rows;
  rows.outcome["sent"] = sent;
  store->set_rows(rows);
  if (complete) store->set_complete();
  return store->snapshot();
}

double sent_in(const Trace& trace) { return trace.sections()[0].scalars(0)[0].value; }

Lesson lesson_with_claim() {
  Lesson lesson;
  lesson.id = "demo";
  lesson.claims = {
      {"small", "B1", "it is small", [](const Trace& trace) {
         const bool small = sent_in(trace) < 10;
         return ClaimResult{small ? Verdict::kHolds : Verdict::kFails, std::to_string(sent_in(trace))};
       }}};
  return lesson;
}

TraceRows judge_it(const Lesson& lesson, const Trace& trace) {
  return judge(lesson, Config::parse("demo", kSpecs, {"n=2"}), trace);
}

std::string failure(const Lesson& lesson, double sent = 1) {
  return message_of<InvariantError>([&] { judge_it(lesson, trace_of(sent)); });
}

// Two timers that write down whose step it was.
struct Sides {
  std::string order;
  double a_ms = 10, b_ms = 20;
  StepTimer a{"a", [this] { return take('a', a_ms); }}, b{"b", [this] { return take('b', b_ms); }};
  double take(char side, double ms) {
    order += side;
    return ms;
  }
};

StepBench bench(Sides& sides, const StepBenchOptions& options, size_t stop_after = 1000) {
  return bench_steps(
      sides.a, sides.b, options, [&] { return sides.order.size() >= stop_after; }, [](const Progress&) {});
}

}  // namespace

TEST_CASE("another trace, another verdict; of an incomplete one no claim is judged") {
  const Lesson lesson = lesson_with_claim();
  const TraceRows honest = judge_it(lesson, trace_of(3));
  const TraceRows doctored = judge_it(lesson, trace_of(30));
  REQUIRE(honest.claims.size() == 1);
  CHECK(honest.claims[0].verdict == Verdict::kHolds);
  CHECK(honest.claims[0].source == "B1");
  CHECK(doctored.claims[0].verdict == Verdict::kFails);
  CHECK(doctored.claims[0].evidence == "30.000000");
  CHECK(doctored.outcome.at("sent") == 30);  // the run's own rows stay
  Lesson open = lesson_with_claim();
  open.predictions = {{"p",
                       "?",
                       "B",
                       [](const Config& config) { return config.real("n"); },
                       {},
                       [](const Trace& trace) { return std::optional(sent_in(trace)); }}};
  const TraceRows unjudged = judge_it(open, trace_of(3, false));
  CHECK(unjudged.claims[0].verdict == Verdict::kNotTestable);
  CHECK(unjudged.predictions[0].answer == 2);
  CHECK(judge_it(open, trace_of(3)).predictions[0].answer == 3);
}

TEST_CASE("wrong answers are this scenario's, without those that cannot be told apart") {
  Lesson lesson;
  lesson.predictions = {{"p",
                         "how many?",
                         "B",
                         [](const Config& config) { return 2 * config.real("n"); },
                         {{"forgot the factor", [](const Config& config) { return config.real("n"); }}},
                         nullptr}};
  const TraceRows rows = judge_it(lesson, trace_of(0));
  REQUIRE(rows.predictions.size() == 1);
  CHECK(rows.predictions[0].question == "how many?");
  CHECK(rows.predictions[0].answer == 4);
  REQUIRE(rows.predictions[0].wrong.size() == 1);
  CHECK(rows.predictions[0].wrong[0].name == "forgot the factor");
  CHECK(rows.predictions[0].wrong[0].value == 2);
  const auto constant = [](double value) { return [value](const Config&) { return value; }; };
  Lesson alike;
  alike.predictions = {{"p",
                        "",
                        "B",
                        constant(100),
                        {{"near", constant(104)}, {"far", constant(106)}, {"not here", constant(NAN)}},
                        nullptr}};
  const TraceRows kept = judge_it(alike, trace_of(0));
  REQUIRE(kept.predictions[0].wrong.size() == 1);
  CHECK(kept.predictions[0].wrong[0].name == "far");
}

TEST_CASE("An answer in words is the run's, else the declared one") {
  Lesson lesson = lesson_with_claim();
  PredictionSpec size;
  size.id = "size";
  size.question = "small or large?";
  size.words = WordQuestion{
      .kind = AnswerKind::kChoice,
      .right = always(Words{"small"}),
      .options = always(Words{"small", "large"}),
      .wrong = always(std::vector<WrongWords>{{"believes in size", {"large"}}}),
      .measured =
          [](const Trace& trace) {
            const double sent = sent_in(trace);
            return std::optional(Words{sent < 0 ? "negative" : sent < 10 ? "small" : "large"});
          },
  };
  lesson.predictions = {size};
  const PredictionRow honest = judge_it(lesson, trace_of(3)).predictions[0];
  CHECK(honest.words == Words{"small"});
  CHECK(std::isnan(honest.answer));
  REQUIRE(honest.wrong.size() == 1);
  CHECK(honest.wrong[0].name == "believes in size");
  CHECK(honest.wrong[0].words == Words{"large"});
  const PredictionRow doctored = judge_it(lesson, trace_of(30)).predictions[0];
  CHECK(doctored.words == Words{"large"});
  CHECK(doctored.wrong.empty());  // the run says so itself
  CHECK(judge_it(lesson, trace_of(30, false)).predictions[0].words == Words{"small"});
  lesson.id = "demo";
  CHECK(lacks(failure(lesson, -1), {"lesson 'demo'", "prediction 'size'", "measured", "'negative'"}) == "");
}

TEST_CASE("A claim or prediction that throws is named") {
  Lesson lesson;
  lesson.id = "demo";
  lesson.claims = {{"broken", "", "", [](const Trace& trace) {
                      static_cast<void>(trace.sections().at(7));
                      return ClaimResult{};
                    }}};
  CHECK(lacks(failure(lesson), {"lesson 'demo'", "claim 'broken'"}) == "");
  lesson.claims.clear();
  lesson.predictions = {{"lost", "", "", [](const Config& config) { return config.real("m"); }, {}, nullptr}};
  CHECK(lacks(failure(lesson), {"prediction 'lost'"}) == "");
}

TEST_CASE("both warm up, rounds change their order, and a time is the mean of its steps") {
  Sides sides;
  const StepBench result = bench(sides, {.rounds = 4, .steps = 1, .warm_up = 2});
  CHECK(sides.order ==
        "aabb"
        "abbaabba");
  CHECK(result.complete);
  CHECK(result.a_ms == std::vector<double>(4, 10));
  CHECK(result.b_ms == std::vector<double>(4, 20));
  Sides timed;
  double ms = 0;
  timed.a.step_ms = [&] { return ms += 1; };
  const StepBench mean = bench(timed, {.rounds = 2, .steps = 3, .warm_up = 1});
  CHECK(mean.a_ms == std::vector<double>{3, 6});  // 2 3 4, 5 6 7
  CHECK(timed.order ==
        "b"
        "bbb"
        "bbb");
}

TEST_CASE("without a number as many rounds as fit; stopped, it keeps whole ones") {
  const auto rounds = [](double a_ms, double b_ms, int64_t steps) {
    Sides sides;
    sides.a_ms = a_ms;
    sides.b_ms = b_ms;
    return bench(sides, {.rounds = {}, .steps = steps, .warm_up = 2}).a_ms.size();
  };
  CHECK(rounds(10, 20, 1) == 60);
  CHECK(rounds(500, 1000, 1) == 20);
  CHECK(rounds(500, 1000, 2) == 10);
  CHECK(rounds(700, 1000, 1) == 17);  // of 30 s / 1.7 s = 17.6
  CHECK(rounds(60'000, 60'000, 1) == 6);
  Sides sides;
  const StepBench result = bench(sides, {.rounds = 4, .steps = 1, .warm_up = 1}, 2 + 3);
  CHECK_FALSE(result.complete);
  CHECK(result.a_ms.size() == 1);
  CHECK(result.b_ms.size() == 1);
  CHECK(sides.order ==
        "ab"
        "abb");
}

TEST_CASE("progress counts every step, and a step's error goes through") {
  Sides sides;
  std::vector<int64_t> done;
  int64_t total = 0;
  bench_steps(
      sides.a, sides.b, {.rounds = 2, .steps = 2, .warm_up = 1}, [] { return false; },
      [&](const Progress& progress) {
        done.push_back(progress.done);
        total = progress.total;
      });
  CHECK(total == 10);
  CHECK(done == std::vector<int64_t>{3, 4, 5, 6, 7, 8, 9, 10});
  sides.b.step_ms = []() -> double { throw InputError("planted"); };
  CHECK_THROWS_AS(bench(sides, {.rounds = 2}), InputError);
}
