#include "ringside/session/judge.h"

#include <cmath>

#include "catch.h"
#include "check_text.h"
#include "ringside/base/error.h"

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

}  // namespace

TEST_CASE("Another trace, another verdict") {
  const Lesson lesson = lesson_with_claim();
  const TraceRows honest = judge_it(lesson, trace_of(3));
  const TraceRows doctored = judge_it(lesson, trace_of(30));
  REQUIRE(honest.claims.size() == 1);
  CHECK(honest.claims[0].verdict == Verdict::kHolds);
  CHECK(honest.claims[0].source == "B1");
  CHECK(doctored.claims[0].verdict == Verdict::kFails);
  CHECK(doctored.claims[0].evidence == "30.000000");
  CHECK(doctored.outcome.at("sent") == 30);  // the run's own rows stay
}

TEST_CASE("Of an incomplete trace no claim is judged, and answers are formulas") {
  Lesson lesson = lesson_with_claim();
  lesson.predictions = {{"p",
                         "?",
                         "B",
                         [](const Config& config) { return config.real("n"); },
                         {},
                         [](const Trace& trace) { return std::optional(sent_in(trace)); }}};
  const TraceRows rows = judge_it(lesson, trace_of(3, false));
  CHECK(rows.claims[0].verdict == Verdict::kNotTestable);
  CHECK(rows.predictions[0].answer == 2);
  CHECK(judge_it(lesson, trace_of(3)).predictions[0].answer == 3);
}

TEST_CASE("A prediction carries its wrong answers for this scenario") {
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
}

TEST_CASE("A wrong answer that cannot be told from the right one is left out") {
  const auto constant = [](double value) { return [value](const Config&) { return value; }; };
  Lesson lesson;
  lesson.predictions = {{"p",
                         "",
                         "B",
                         constant(100),
                         {{"near", constant(104)}, {"far", constant(106)}, {"not here", constant(NAN)}},
                         nullptr}};
  const TraceRows rows = judge_it(lesson, trace_of(0));
  REQUIRE(rows.predictions[0].wrong.size() == 1);
  CHECK(rows.predictions[0].wrong[0].name == "far");
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
