// Blocks of fields, and the questions that are made of them.
#include "ringside/lesson/question_text.h"

#include <catch.h>

#include "ringside/base/error.h"
#include "ringside/lesson/prediction.h"

using namespace ringside;

namespace {

constexpr const char* kBlocks =
    "# a comment\n"
    "[colour]\n"
    "ask      Which colour\n"
    "         is it?\n"
    "option   red\n"
    "option   * blue\n"
    "wrong    it is warm | red | It is cold.\n"
    "again    ranks=8 ranks=3\n"
    "\n"
    "[twice]\n"
    "ask      How many?\n"
    "unit     MiB\n"
    "wrong    counted once | It is sent twice.\n";

Config plain_scenario() { return Config::parse("demo", {}, {}); }

}  // namespace

TEST_CASE("blocks: fields in their order, lines that go on, comments left out") {
  const TextBlocks blocks(kBlocks);
  REQUIRE(blocks.all().size() == 2);
  const TextBlock& colour = blocks["colour"];
  CHECK(colour.text("ask") == "Which colour is it?");
  CHECK(colour.all("option") == Words{"red", "* blue"});
  CHECK(colour.words("again") == Words{"ranks=8", "ranks=3"});
  CHECK(colour.text("why") == "");
  CHECK_FALSE(colour.has("why"));
}

TEST_CASE("a question in words, and one for a number, by their blocks") {
  const TextBlocks blocks(kBlocks);
  const PredictionSpec words = word_question(blocks["colour"]);
  CHECK(words.id == "colour");
  CHECK(words.again == std::vector<std::string>{"ranks=8", "ranks=3"});
  REQUIRE(words.words);
  CHECK(words.words->right(plain_scenario()) == Words{"blue"});
  CHECK(words.words->options(plain_scenario()) == Words{"red", "blue"});
  const auto wrong = words.words->wrong(plain_scenario());
  REQUIRE(wrong.size() == 1);
  CHECK(wrong[0].answer == Words{"red"});
  CHECK(wrong[0].why == "It is cold.");
  const auto constant = [](double value) { return [value](const Config&) { return value; }; };
  const PredictionSpec number = question_of(blocks["twice"], {.right = constant(4), .wrong = {constant(2)}});
  CHECK(number.unit == "MiB");
  CHECK(number.formula(plain_scenario()) == 4);
  REQUIRE(number.wrong.size() == 1);
  CHECK(number.wrong[0].name == "counted once");
  CHECK(number.wrong[0].value(plain_scenario()) == 2);
}

TEST_CASE("where several options are right all of them are asked for") {
  const TextBlocks blocks(
      "[a]\nask  which?\noption * b\noption c\noption * d\nwrong  all | b, c, d | c is not\n");
  const PredictionSpec spec = word_question(blocks["a"]);
  CHECK(spec.words->kind == AnswerKind::kChoices);
  CHECK(spec.words->right(plain_scenario()) == Words{"b", "d"});
  CHECK(spec.words->wrong(plain_scenario()).at(0).answer == Words{"b", "c", "d"});
}

TEST_CASE("what is no block is refused with its text") {
  const auto refuses = [](const auto& act) { CHECK_THROWS_AS(act(), InvariantError); };
  refuses([] { return TextBlocks("ask  without a block\n"); });
  refuses([] { return TextBlocks("[a]\n  goes on, and nothing before it\n"); });
  refuses([] { return TextBlocks(kBlocks)["none"]; });
  refuses([] {  // a belief without a value
    return question_of(TextBlocks(kBlocks)["twice"], {.right = always(4.0)});
  });
  refuses([] { return word_question(TextBlocks("[a]\noption * b\nwrong c\n")["a"]); });
}
