#include <catch.h>

#include "refuted.h"
#include "saying.h"
#include "temp_folder.h"
#include "typed_answer.h"
namespace ringside {
namespace {

const Config& config() {
  static const Config scenario = Config::parse("lesson", {}, {});
  return scenario;
}

PredictionSpec share() {
  PredictionSpec spec{"share", "How much is copies?", "%", always(75.0)};
  spec.wrong = {{"half", always(50.0), {}, "There are four ranks, not two."}, {"as much", always(50.5)}};
  spec.symbols = always(std::vector<Symbol>{{"N", "ranks", 4}});
  spec.why = "Four hold the same.";
  return spec;
}

PredictionSpec in_words(AnswerKind kind, Words right) {
  PredictionSpec spec{"words", "Which?"};
  spec.words = WordQuestion{kind, always(right), always(Words{"view", "a, b", "clone"})};
  spec.words->wrong = always(std::vector<WrongWords>{{"clone shares", {"clone"}, "It copies."}});
  if (kind == AnswerKind::kText) spec.words->options = {};
  return spec;
}

TEST_CASE("numbers are read with their unit, as formulas and as shares, and that is said") {
  const PredictionSpec spec = share();
  CHECK(read_typed(spec, config(), " 50 ").value == 50.0);
  CHECK(read_typed(spec, config(), "50%").value == 50.0);
  CHECK(read_typed(spec, config(), "50 %").value == 50.0);
  CHECK(read_typed(spec, config(), "100(N-1)/N").value == 75.0);
  for (const char* blank : {"", "  "}) {
    CHECK_FALSE(read_typed(spec, config(), blank).is_answer());
    CHECK(read_typed(spec, config(), blank).mistake.empty());
  }
  for (const char* wrong : {"fifty", "5 0", "1/0", "N +", "%"}) {
    INFO(wrong);
    CHECK_FALSE(read_typed(spec, config(), wrong).is_answer());
  }
  PredictionSpec number = spec;
  number.symbols = nullptr;
  CHECK(read_typed(number, config(), "fifty").mistake == "Type a number, such as 12.");
  for (const char* typed : {"0.75", "3/4", ".75"}) {
    const TypedAnswer answer = read_typed(spec, config(), typed);
    CHECK(answer.value == 75.0);
    CHECK(judge(spec, config(), answer).right);
    CHECK(said(spec, config(), answer) == std::string(typed) + ", taken as a share: 75 %");
  }
  CHECK(read_typed(spec, config(), "0.75 %").value == 0.75);
  PredictionSpec small = spec;
  small.formula = always(0.5);
  CHECK(read_typed(small, config(), "0.5").value == 0.5);
}

TEST_CASE("full-width signs are read as ASCII; a share of a whole is within 0 to 100") {
  const PredictionSpec spec = share();
  CHECK(read_typed(spec, config(), "７５％").value == 75.0);
  CHECK(read_typed(spec, config(), "１００（Ｎ－１）／Ｎ").value == 75.0);
  CHECK(read_typed(spec, config(), "100×(N−1)÷N").value == 75.0);
  CHECK(read_typed(spec, config(), "　").mistake.empty());  // a wide blank
  for (const char* typed : {"-50", "2500", "101 %", "100 N"}) {
    INFO(typed);
    CHECK_FALSE(read_typed(spec, config(), typed).is_answer());
    CHECK(read_typed(spec, config(), typed).mistake.find("is outside of 0 to 100") != std::string::npos);
  }
  PredictionSpec growth = spec;
  growth.formula = always(150.0);
  CHECK(read_typed(growth, config(), "2500").value == 2500.0);
  CHECK_FALSE(range_of(growth, config()));
  CHECK(read_typed(spec, config(), "1/(N-N)").mistake != "");
  CHECK(read_typed(spec, config(), "abc").mistake.find("abc") != std::string::npos);
  CHECK(read_typed(spec, config(), ".75").note == "taken as a share");
}

TEST_CASE("a question takes the scenario's symbols; numbers that are options stay answers") {
  const ParameterSpec ranks{"ranks", "", "", ParameterKind::kInteger, "8", 1, 8};
  const Config scenario = Config::parse("lesson", {ranks}, {});
  PredictionSpec spec{"sent", "How much?", "Ψ", always(1.75)};
  CHECK(read_typed(spec, scenario, "2(N-1)/N Ψ").value == 1.75);
  CHECK(read_typed(spec, scenario, "2(ranks - 1)/ranks").value == 1.75);
  CHECK_FALSE(read_typed(spec, scenario, "2M").is_answer());
  CHECK(judged(Lesson(), spec, scenario, read_typed(spec, scenario, "2(N-1)/N")).correct);
  PredictionSpec stages = in_words(AnswerKind::kChoice, {"stage 1"});
  stages.words->options = always(Words{"stage 0", "stage 1", "2g + 1", "10"});
  stages.words->wrong = {};
  const auto read = [&](const char* typed) { return read_typed(stages, config(), typed).words; };
  CHECK_FALSE(read("1").has_value());  // "2g + 1" has it too
  CHECK(read("0") == Words{"stage 0"});
  CHECK(read("10") == Words{"10"});
  CHECK(read("a") == Words{"stage 0"});
  CHECK(read("B") == Words{"stage 1"});
  CHECK(read("2g+1") == Words{"2g + 1"});
  CHECK(read("Stage 1") == Words{"stage 1"});
  CHECK_FALSE(read_typed(stages, config(), "e").is_answer());
  const PredictionSpec printed = in_words(AnswerKind::kText, {"0 1 3 4"});
  for (const char* typed : {"0 1 3 4", "0,1,3,4", "[0, 1, 3, 4]", "0, 1, 3, 4."}) {
    INFO(typed);
    CHECK(judge(printed, config(), read_typed(printed, config(), typed)).right);
  }
  CHECK_FALSE(judge(printed, config(), read_typed(printed, config(), "0134")).right);
}

TEST_CASE("words are read by name or letter, and an answer is judged as in the room") {
  const PredictionSpec one = in_words(AnswerKind::kChoice, {"view"});
  CHECK(read_typed(one, config(), "a").words == Words{"view"});
  CHECK(read_typed(one, config(), "a, b").words == Words{"a, b"});
  CHECK_FALSE(read_typed(one, config(), "d").is_answer());
  CHECK(read_typed(one, config(), "2").mistake.ends_with("; type a letter, a to c"));
  const PredictionSpec some = in_words(AnswerKind::kChoices, {"view", "a, b"});
  for (const char* typed : {"b, a", "b a", "ba", "BA"})
    CHECK(read_typed(some, config(), typed).words == Words{"a, b", "view"});
  CHECK(read_typed(some, config(), "a, b").words == Words{"a, b"});
  const PredictionSpec all = in_words(AnswerKind::kOrder, {"clone", "view", "a, b"});
  CHECK(read_typed(all, config(), "c,a, b").words == Words{"clone", "view", "a, b"});
  CHECK_FALSE(read_typed(all, config(), "c, a").is_answer());
  CHECK(read_typed(in_words(AnswerKind::kText, {"[0, 1]"}), config(), "[0,1]").words == Words{"[0, 1]"});
  const Lesson lesson;
  const PredictionSpec spec = share();
  const Attempt wrong = judged(lesson, spec, config(), read_typed(spec, config(), "50"));
  CHECK_FALSE(wrong.correct);
  CHECK(wrong.answered_by == AnswerKind::kNumber);
  CHECK(wrong.errors == std::vector<std::string>{"half", "as much"});
  const Attempt right = judged(lesson, spec, config(), read_typed(spec, config(), "100(N-1)/N"));
  CHECK(right.correct);
  CHECK(right.answered_by == AnswerKind::kFormula);
  CHECK(right.right == 75);
  const PredictionSpec words = in_words(AnswerKind::kChoice, {"view"});
  const Attempt said = judged(lesson, words, config(), read_typed(words, config(), "c"));
  CHECK(said.errors == std::vector<std::string>{"clone shares"});
  CHECK(said.right_words == Words{"view"});
  CHECK(std::isnan(said.value));
}

TEST_CASE("a formula is right only where it is right at every number of ranks") {
  const Lesson lesson;
  PredictionSpec spec = share();
  spec.symbols = [](const Config&) { return std::vector<Symbol>{{"N", "ranks", 4}}; };
  spec.formula_text = always(std::string("100(N-1)/N"));
  const TypedAnswer answer = read_typed(spec, config(), "15N + 15");
  CHECK(answer.value == 75.0);
  const Attempt attempt = judged(lesson, spec, config(), answer);
  CHECK_FALSE(attempt.correct);
  REQUIRE(attempt.errors.size() == 1);
  CHECK(attempt.errors[0].find("wrong at") != std::string::npos);
  CHECK(beside_measured(spec, config(), answer, Trace()).find("You said 15N + 15 = 75 %. ") == 0);
  CHECK(beside_measured(spec, config(), answer, Trace()).find("your formula gives") != std::string::npos);
  CHECK(judged(lesson, spec, config(), read_typed(spec, config(), "100 - 100/N")).correct);
  CHECK(judged(lesson, spec, config(), read_typed(spec, config(), "75")).correct);
}

TEST_CASE("the guess stands beside the measurement") {
  const Trace trace;
  PredictionSpec spec = share();
  const auto text = [&](const PredictionSpec& asked, const char* line) {
    return beside_measured(asked, config(), read_typed(asked, config(), line), trace);
  };
  CHECK(text(spec, "50") ==
        "You said 50 %. Calculated: 75 %. Your error: half. Or: as much. Four hold the same.");
  spec.wrong.pop_back();
  spec.measured = [](const Trace&) { return std::optional(74.0); };
  CHECK(
      text(spec, "50") ==
      "You said 50 %. Measured: 74 %. Your error: half. There are four ranks, not two. Four hold the same.");
  CHECK(text(spec, "10") == "You said 10 %. Measured: 74 %. Not so. Four hold the same.");
  CHECK(text(spec, "70") == "You said 70 %. Measured: 74 %. Near. Four hold the same.");
  CHECK(text(spec, "72.5") == "You said 72 %. Measured: 74 %. Right. Four hold the same.");  // of 74
  spec.more = "With eight it is 87.5 %.";
  CHECK(text(spec, "75") ==
        "You said 75 %. Measured: 74 %. Right. With eight it is 87.5 %. Four hold the same.");
  CHECK(text(in_words(AnswerKind::kChoice, {"view"}), "clone") ==
        "You said clone. Calculated: view. Your error: clone shares. It copies.");
  CHECK(in_unit(1572864, "bytes") == "1,572,864 bytes");
  CHECK(in_unit(5.5, "") == "5.50");
  CHECK(in_unit(12, "bytes") == "12 bytes");
  CHECK(in_unit(0.001, "s") == "0.001 s");
}

const char* kText =
    "# T\n## Say it\n**In short.** One `is`. Two of 3.5 are more! And three\nare enough.\n\n**In depth.** "
    "More.\n"
    "## They will ask next\n- Why? So.\n- No question.\n- **And *you*?** Me.\n";
const char* kPoints = "## Key points\n- `a` is\n  a point.\n- [b](<run:zero>) too.\n";

TEST_CASE("points are those of the text, told in other forms and another order") {
  const Saying without = saying_of(kText);
  CHECK(without.points ==
        std::vector<std::string>{"One is.", "Two of 3.5 are more!", "And three are enough."});
  REQUIRE(without.follow_ups.size() == 2);
  CHECK(without.follow_ups[1].answer == "Me.");
  CHECK(without.answers.find("In depth") != std::string::npos);
  const Saying with = saying_of(std::string(kText) + kPoints);
  CHECK(with.points == std::vector<std::string>{"a is a point.", "b too."});
  CHECK(saying_of("nothing").points.empty());
  CHECK(with.listing.empty());
  CHECK(saying_of("# T\n```\nfor x in y:\n  print(x)\n```\n## Build it\n```\nno\n```\n").listing ==
        "for x in y:\n  print(x)\n");
  CHECK(saying_of("# T\n```\nnever closed\n").listing.empty());
  const char* point = "Stage 3 gathers the parameters for forward and again for backward.";
  CHECK(shares_words(point, "in backward stage 3 is gathering its parameter once more"));
  CHECK_FALSE(shares_words(point, "Stage 1 splits the optimizer state, which each rank needs for that."));
  CHECK(shares_words("Stages send 2Ψ.", "2Ψ are sent: all stages send 2Ψ"));
  CHECK_FALSE(shares_words(point, ""));
  CHECK_FALSE(shares_words("", "anything"));
  CHECK(shares_words(point, "反向时阶段 3 收集参数"));
  CHECK_FALSE(shares_words("ASP never waits for the slowest worker.", "ASP waits for the slowest worker"));
  CHECK_FALSE(shares_words("BSP waits for the slowest worker.", "BSP doesn't wait for the slowest worker"));
  CHECK(shares_words("BSP waits for the slowest worker.",
                     "it sends no more, and BSP waits for the slowest worker"));
  CHECK(shares_words("Stage 2 sends no more bytes than stage 1.", "stage 2 sends the bytes of stage 1"));
}

TEST_CASE("half of the points are enough; a session asks five follow-ups, open ones first") {
  const Saying saying = saying_of(kText);  // three points
  CHECK(points_to_pass(3) == 2);
  CHECK(points_attempt("zero", saying, {true, false, true}).correct);
  CHECK_FALSE(points_attempt("zero", saying, {true, false, true}, 1).correct);
  CHECK(points_attempt("zero", saying, {true, true, true}, 1).correct);
  CHECK_FALSE(points_attempt("zero", saying, {true, true}).correct);  // not reached
  const FollowUp one{std::string(200, 'q') + "?", "a"};
  StudyRecord record("");
  record.add(follow_up_attempt("zero", one, false));
  CHECK(record.attempts()[0].prediction == said_id(one));
  std::string text = "## They will ask next\n";
  for (int i = 0; i < 7; ++i) text += "- Why " + std::to_string(i) + "? So.\n";
  const Saying seven = saying_of(text);
  StudyRecord kept("");
  CHECK(follow_ups_now("zero", seven, kept).size() == kFollowUps);
  kept.add(follow_up_attempt("zero", seven.follow_ups[0], true));
  kept.add(follow_up_attempt("zero", seven.follow_ups[1], false));
  CHECK(follow_ups_now("zero", seven, kept)[0].question == "Why 1?");
  CHECK(follow_ups_now("norms", seven, kept)[0].question == "Why 0?");
}

TEST_CASE("what a run refuted is kept: claims that failed, then named errors") {
  Lesson lesson;
  lesson.predictions = {{"p", "what?", "B", always(1.0), {{"half of it", always(2.0)}}}};
  lesson.predictions[0].name = "bytes";
  const auto store = TraceStore::create("zero");
  TraceRows rows;
  rows.claims = {{"a", "B1", "all is free", Verdict::kFails, ""},
                 {"b", "B1", "it is so", Verdict::kHolds, ""}};
  store->set_rows(rows);
  const auto all = refuted_by(lesson, Config::parse("zero", {}, {}), store->snapshot());
  CHECK(all == std::vector<std::string>{"all is free", "bytes: half of it"});
  const testing::TempFolder folder;
  keep_refuted(folder.path, "zero", all);
  CHECK(kept_refuted(folder.path, "zero") == all);
  CHECK(kept_refuted(folder.path, "norms").empty());
  keep_refuted("/proc/nothing", "zero", all);  // no error
}

TEST_CASE("what was said comes back on the ladder, points that were not reached come again") {
  const Saying saying = saying_of(std::string(kText) + kPoints);
  StudyRecord record("");
  const auto at = [](Attempt attempt, int64_t time) {
    attempt.time = time;
    return attempt;
  };
  record.add(at(points_attempt("zero", saying, {false, false}), 1000));
  record.add(at(follow_up_attempt("zero", saying.follow_ups[0], true), 1000));
  record.add(at(follow_up_attempt("zero", saying.follow_ups[1], false), 1001));
  CHECK(record.progress("zero").asked == 0);
  const auto redo = record.to_redo("zero", 1001 + 24 * 60 * 60);
  REQUIRE(redo.size() == 2);
  CHECK(redo[0].due);
  CHECK(redo[0].prediction == kSaidPoints);
  CHECK(redo[0].errors == std::vector<std::string>{"a is a point.", "b too."});
  CHECK(redo[1].prediction == said_id(saying.follow_ups[1]));
  CHECK(is_said(redo[1].prediction));
  CHECK(is_said(kSaidPoints));
  CHECK_FALSE(is_said("say it again"));
  record.add(points_attempt("zero", saying, {true, true}));
  CHECK(record.attempts().back().correct);
  const Attempt attempt = points_attempt("zero", saying, {true});
  CHECK_FALSE(attempt.correct);
  CHECK(attempt.errors.empty());
  CHECK(attempt.right_words.size() == 1);
}

}  // namespace
}  // namespace ringside
