#include "ringside/lesson/word_question.h"

#include "catch.h"
#include "check_text.h"
#include "ringside/base/error.h"
#include "ringside/lesson/prediction.h"

using namespace ringside;

namespace {

const Config kHere = Config::parse("demo", {}, {});

WordQuestion question(AnswerKind kind, Words right, Words options, std::vector<WrongWords> wrong = {}) {
  WordQuestion asked;
  asked.kind = kind;
  asked.right = always(std::move(right));
  asked.options = always(std::move(options));
  asked.wrong = always(std::move(wrong));
  return asked;
}

// One of each kind, with two misconceptions each.
WordQuestion choice() {
  return question(AnswerKind::kChoice, {"raise"}, {"return", "raise", "yield"},
                  {{"hands it on", {"return"}}, {"goes on", {"yield"}}});
}
WordQuestion choices() {
  return question(AnswerKind::kChoices, {"view", "expand"}, {"view", "clone", "expand"},
                  {{"expand copies", {"view"}}, {"all of them share", {"view", "clone", "expand"}}});
}
WordQuestion order() {
  return question(AnswerKind::kOrder, {"forward", "backward", "step"}, {"backward", "step", "forward"},
                  {{"steps first", {"step", "forward", "backward"}},
                   {"backward first", {"backward", "forward", "step"}}});
}
WordQuestion line() {
  return question(AnswerKind::kLine, {"3"}, {"def f():", "  yield 1", "  return 2", "  return 2"},
                  {{"the first yield", {"2"}}, {"the last line", {"4"}}});
}
WordQuestion text() {
  WordQuestion asked = question(AnswerKind::kText, {"StopIteration"}, {},
                                {{"hands it on", {"range(0, 10)"}}, {"it is empty", {"None"}}});
  asked.accepted = {"a StopIteration", "raises StopIteration(value)"};
  return asked;
}

bool is_right(const WordQuestion& asked, const Words& answer) {
  return is_words_answer(asked, kHere, answer);
}

std::string names(const WordQuestion& asked, const Words& answer) {
  std::string all;
  for (const WrongAnswer& wrong : named_wrong(asked, kHere, answer)) all += wrong.name;
  return all;
}

std::string why_not(const WordQuestion& asked, const Words& answer) {
  return why_no_answer(asked, kHere, answer);
}

std::string contradiction(WordQuestion asked) {
  PredictionSpec spec;
  spec.id = "asked";
  spec.words = std::move(asked);
  Lesson lesson;
  lesson.id = "demo";
  lesson.predictions = {spec};
  return message_of<InvariantError>([&] { check_predictions(lesson, kHere); }, "");
}

}  // namespace

TEST_CASE("a choice is that word, several choices are a set, an order is all options in order") {
  CHECK(is_right(choice(), {"raise"}));
  CHECK_FALSE(is_right(choice(), {"return"}));
  CHECK_FALSE(is_right(choice(), {"RAISE"}));
  CHECK_FALSE(is_right(choice(), {}));
  CHECK(names(choice(), {"return"}) == "hands it on");
  CHECK(names(choice(), {"yield"}) == "goes on");
  CHECK(names(choice(), {"raise"}) == "");
  CHECK(why_not(choice(), {"yield"}) == "");
  CHECK(lacks(why_not(choice(), {"break"}), {"'break'", "return, raise, yield"}) == "");
  CHECK(why_not(choice(), {"raise", "yield"}) != "");
  CHECK(why_not(choice(), {}) != "");
  CHECK(is_right(choices(), {"view", "expand"}));
  CHECK(is_right(choices(), {"expand", "view"}));
  CHECK_FALSE(is_right(choices(), {"view"}));
  CHECK_FALSE(is_right(choices(), {"view", "expand", "clone"}));
  CHECK(names(choices(), {"clone", "expand", "view"}) == "all of them share");
  CHECK(names(choices(), {"view"}) == "expand copies");
  CHECK(names(choices(), {"clone"}) == "");
  CHECK(why_not(choices(), {"view", "view"}) != "");
  CHECK(why_not(choices(), {"view", "copy"}) != "");
  CHECK(is_right(order(), {"forward", "backward", "step"}));
  CHECK_FALSE(is_right(order(), {"forward", "step", "backward"}));
  CHECK(names(order(), {"step", "forward", "backward"}) == "steps first");
  CHECK(names(order(), {"backward", "forward", "step"}) == "backward first");
  CHECK(names(order(), {"forward", "step", "backward"}) == "");
  CHECK(why_not(order(), {"forward", "step", "backward"}) == "");
  CHECK(lacks(why_not(order(), {"forward", "step"}), {"2 of 3"}) == "");
  CHECK(why_not(order(), {"forward", "step", "step"}) != "");
}

TEST_CASE("a line is known by its number; a text has accepted forms, in any case and spacing") {
  CHECK(is_right(line(), {"3"}));
  CHECK(is_right(line(), {"03"}));
  CHECK_FALSE(is_right(line(), {"4"}));
  CHECK(names(line(), {"4"}) == "the last line");
  CHECK(names(line(), {"2"}) == "the first yield");
  CHECK(why_not(line(), {"1"}) == "");
  for (const char* word : {"0", "5", "-1", "3x", "", "return 2", "99999999999999999999"})
    CHECK(lacks(why_not(line(), {word}), {"from 1 to 4"}) == "");
  for (const char* form : {"StopIteration", "stopiteration", "  STOPITERATION ", "a  stopIteration",
                           "raises stopiteration ( value )"})
    CHECK(is_right(text(), {form}));
  for (const char* other : {"Stop Iteration", "aStopIteration", "StopIteration!", "raises"})
    CHECK_FALSE(is_right(text(), {other}));
  CHECK(names(text(), {"RANGE(0,10)"}) == "hands it on");
  CHECK(names(text(), {"none"}) == "it is empty");
  CHECK(names(text(), {"a stopiteration"}) == "");
  CHECK(why_not(text(), {" \t "}) != "");
  CHECK(why_not(text(), {std::string(kMostWordBytes + 1, 'x')}) != "");
  const auto same = [](const std::string& a, const std::string& b) {
    return same_words(AnswerKind::kText, {a}, {b});
  };
  CHECK(same("[1, 2]", "[1,2]"));
  CHECK(same("1  2", " 1 2\n"));
  CHECK_FALSE(same("1 2", "12"));
  CHECK_FALSE(same("Ψ N", "ΨN"));
  CHECK(same("2Ψ + N", "2Ψ+n"));
}

TEST_CASE("an answer in words, for people; a question is askable and calculated where it is") {
  CHECK(in_words(choices(), kHere, {"expand", "view"}) == "view, expand");
  CHECK(in_words(order(), kHere, {"forward", "step"}) == "forward → step");
  CHECK(in_words(line(), kHere, {"3"}) == "line 3: return 2");
  CHECK(in_words(line(), kHere, {"9"}) == "line 9");
  CHECK(in_words(text(), kHere, {"None"}) == "None");
  PredictionSpec both;
  both.words = choice();
  both.unit = "bytes";
  CHECK(contradiction_in(both, kHere) != "");
  CHECK(contradiction_in(PredictionSpec{}, kHere) != "");
  PredictionSpec number;
  number.formula = always(1.0);
  CHECK(contradiction_in(number, kHere) == "");
  PredictionSpec spec;
  spec.words = text();
  CHECK(askable(spec, kHere));
  CHECK(is_calculated(spec));
  spec.words->measured = [](const Trace&) { return std::optional<Words>(); };
  CHECK_FALSE(is_calculated(spec));
  spec.words->wrong = always(std::vector<WrongWords>{{"the same", {"raises stopiteration(VALUE)"}}});
  CHECK_FALSE(askable(spec, kHere));
  spec.words->wrong = nullptr;
  CHECK(askable(spec, kHere));
}

TEST_CASE("whose answers contradict each other is named, with its lesson") {
  for (const WordQuestion& good : {choice(), choices(), order(), line(), text()})
    CHECK(contradiction(good) == "");
  CHECK(lacks(contradiction(question(AnswerKind::kChoice, {"c"}, {"a", "b"})),
              {"lesson 'demo'", "prediction 'asked'", "right answer", "'c'", "a, b"}) == "");
  CHECK(lacks(contradiction(question(AnswerKind::kChoice, {"a"}, {"a", "b"}, {{"w", {"c"}}})),
              {"wrong answer \"w\"", "'c'"}) == "");
  CHECK(lacks(contradiction(question(AnswerKind::kChoices, {"a", "b"}, {"a", "b"}, {{"w", {"b", "a"}}})),
              {"\"w\"", "is the right one"}) == "");
  CHECK(lacks(contradiction(question(AnswerKind::kOrder, {"a"}, {"a", "b"})), {"right answer", "1 of 2"}) ==
        "");
  CHECK(lacks(contradiction(question(AnswerKind::kLine, {"3"}, {"x", "y"})), {"'3'", "1 to 2"}) == "");
  CHECK(lacks(contradiction(question(AnswerKind::kLine, {"1"}, {})), {"no line"}) == "");
  CHECK(lacks(contradiction(question(AnswerKind::kText, {"a"}, {"a", "b"})), {"no options"}) == "");
  CHECK(lacks(contradiction(question(AnswerKind::kChoice, {"a"}, {"a"})), {"fewer than two"}) == "");
  CHECK(lacks(contradiction(question(AnswerKind::kChoice, {"a"}, {"a", "b", "a"})), {"'a' comes twice"}) ==
        "");
  CHECK(lacks(contradiction(question(AnswerKind::kChoice, {"a"}, {"a", " "})), {"empty"}) == "");
  CHECK(lacks(contradiction(question(AnswerKind::kChoice, {"a"}, {"a", "b"}, {{"", {"b"}}})), {"no name"}) ==
        "");
  CHECK(lacks(contradiction(question(AnswerKind::kNumber, {"a"}, {"a", "b"})), {"number"}) == "");
  CHECK(lacks(contradiction(question(AnswerKind::kChoice, {"0"}, Words(kMostOptions + 1, "x"))), {"17"}) ==
        "");
  WordQuestion twice = text();
  twice.wrong = always(std::vector<WrongWords>{{"accepted too", {"A stopiteration"}}});
  CHECK(lacks(contradiction(twice), {"accepted too"}) == "");
  WordQuestion forms = choice();
  forms.accepted = {"Raise"};
  CHECK(lacks(contradiction(forms), {"accepted"}) == "");
  CHECK(lacks(contradiction(WordQuestion{}), {"no right answer"}) == "");
}
