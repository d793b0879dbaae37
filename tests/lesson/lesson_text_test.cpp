#include "ringside/lesson/lesson_text.h"

#include "catch.h"
#include "check_text.h"
#include "ringside/base/error.h"
#include "ringside/lesson/front_matter.h"
#include "ringside/lesson/question_text.h"

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

const std::string kGood =
    "---\nid: zero\ntitle: What: is kept?\norder: -2\ntrack: memory\nquestions: B13, B14\n---\n";

std::string rejection(const std::string& document) {
  return message_of<InputError>([&] { parse_front_matter(document); }, "accepted");
}

std::string without(const std::string& line) {
  std::string document = kGood;
  return document.erase(document.find(line), line.size());
}

std::string with(const std::string& line) { return "---\n" + line + kGood.substr(4); }

}  // namespace

TEST_CASE("a document is cut at its headings, a list item by item, what is asked next in two") {
  const auto parts =
      parts_of("# T\nintro\n## One\n\na\n### sub\nb\n```\n~~~\n## not\n```\n##Two\n## Three ##\nc");
  REQUIRE(parts.size() == 3);
  CHECK(parts[0].title == "");
  CHECK(parts[0].body == "# T\nintro\n");
  CHECK(parts[1].title == "One");
  CHECK(parts[1].body == "\na\n### sub\nb\n```\n~~~\n## not\n```\n##Two\n");
  CHECK(parts[2].title == "Three");
  CHECK(parts[2].body == "c");
  CHECK(parts_of("").size() == 1);
  CHECK(parts_of("## A\r\nx")[1].title == "A");
  CHECK(part_of("## A\nx\n## B\ny", "B") == "y");
  CHECK(part_of("## A\nx", "C") == "");
  CHECK(items_of("Before.\n\n- one\n- two\n  goes on\n\n- three\nbehind\n- not\n") ==
        std::vector<std::string>{"one", "two goes on", "three"});
  CHECK(items_of("no list").empty());
  CHECK(items_of("").empty());
  const auto all = follow_ups_of("## They will ask next\n- Why? Because\n  of `x? y`.\n- Only this\n");
  REQUIRE(all.size() == 2);
  CHECK(all[0].question == "Why?");
  CHECK(all[0].answer == "Because of `x? y`.");
  CHECK(all[1].question == "Only this");
  CHECK(all[1].answer == "");
  CHECK(follow_ups_of("nothing").empty());
  const auto bold =
      follow_ups_of("## They will ask next\n- **Is `x` it?** Yes. Why? So.\n- **Note** this? No.\n");
  REQUIRE(bold.size() == 2);
  CHECK(bold[0].question == "Is `x` it?");
  CHECK(bold[0].answer == "Yes. Why? So.");
  CHECK(bold[1].question == "**Note** this?");
}

TEST_CASE("the words are rows of a table, trials are scenarios and what is said of them") {
  const std::string head = "## The words\n\n| word | 中文 | in a sentence |\n|---|---|---|\n";
  const auto terms = terms_of(head + "| rank, ranks | 进程 | One worker. |\n| Ψ | | All parameters. |\n");
  REQUIRE(terms.size() == 2);
  CHECK(terms[0].word == "rank, ranks");
  CHECK(terms[0].chinese == "进程");
  CHECK(terms[0].sentence == "One worker.");
  CHECK(terms[1].chinese == "");
  CHECK_THROWS_AS(terms_of(head + "| rank | 进程 |\n"), InputError);
  CHECK_THROWS_AS(terms_of(head + "| | 进程 | A sentence. |\n"), InputError);
  CHECK(terms_of("no table").empty());
  const auto all = trials_of(
      "## Break it\nEach changes one.\n- [a=8](<run:zero a=8>) Eight `make` one. More.\n"
      "- [A barrier](<run:zero b=1>) fails earlier.\n- No link.\n");
  REQUIRE(all.size() == 2);
  CHECK(all[0].scenario == "zero a=8");
  CHECK(all[0].says == "Eight make one. More.");
  CHECK(all[1].says == "A barrier fails earlier.");
  CHECK(trials_of("nothing").empty());
}

TEST_CASE("markdown as words; the answer in short in sentences; blocks: fields in their order") {
  CHECK(without_marks("**In short.** a [b c](<run:zero x=1>), [d](e) `f`") == "In short. a b c, d f");
  const char* text =
      "## Say it\n**In short.** One `is`. Two of 3.5 are\nmore! And three.\n\n**In depth.** No.\n";
  CHECK(in_short_of(text) == "One is. Two of 3.5 are more! And three.");
  CHECK(sentences_of(in_short_of(text)) ==
        std::vector<std::string>{"One is.", "Two of 3.5 are more!", "And three."});
  CHECK(in_short_of("## Say it\nNothing.\n") == "");
  CHECK(sentences_of("").empty());
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

TEST_CASE("what is no block is refused; front matter is read and its text kept byte for byte") {
  const TextBlocks blocks(
      "[a]\nask  which?\noption * b\noption c\noption * d\nwrong  all | b, c, d | c is not\n");
  const PredictionSpec spec = word_question(blocks["a"]);
  CHECK(spec.words->kind == AnswerKind::kChoices);
  CHECK(spec.words->right(plain_scenario()) == Words{"b", "d"});
  CHECK(spec.words->wrong(plain_scenario()).at(0).answer == Words{"b", "c", "d"});
  const auto refuses = [](const auto& act) { CHECK_THROWS_AS(act(), InvariantError); };
  refuses([] { return TextBlocks("ask  without a block\n"); });
  refuses([] { return TextBlocks("[a]\n  goes on, and nothing before it\n"); });
  refuses([] { return TextBlocks(kBlocks)["none"]; });
  refuses([] {  // a belief without a value
    return question_of(TextBlocks(kBlocks)["twice"], {.right = always(4.0)});
  });
  refuses([] { return word_question(TextBlocks("[a]\noption * b\nwrong c\n")["a"]); });
  const std::string text = "# $\\eta$ ; \"x\" ${y} @z@ )md\"\r\n\xff ---\n---\nend";
  const FrontMatter matter = parse_front_matter(kGood + text + std::string(1, '\0'));
  CHECK(matter.id == "zero");
  CHECK(matter.title == "What: is kept?");
  CHECK(matter.order == -2);
  CHECK(matter.track == "memory");
  CHECK(matter.questions == std::vector<std::string>{"B13", "B14"});
  CHECK(matter.text == text + std::string(1, '\0'));
  const FrontMatter windows = parse_front_matter(
      "---\r\nid: a\r\n\r\ntitle:  b \r\norder: 3\r\ntrack: c\r\nquestions:\r\nengine: "
      "torch-free\r\n---\r\ntext");
  CHECK(windows.id == "a");
  CHECK(windows.title == "b");
  CHECK(windows.questions.empty());
  CHECK(windows.text == "text");
}

TEST_CASE("a key that is missing, unknown, doubled or malformed is named; so is a short name") {
  CHECK(lacks(rejection(without("title: What: is kept?\n")), {"'zero'", "'title' is missing"}) == "");
  CHECK(lacks(rejection(without("order: -2\n")), {"'order' is missing"}) == "");
  CHECK(lacks(rejection(without("questions: B13, B14\n")), {"'questions' is missing"}) == "");
  CHECK(lacks(rejection(without("id: zero\n")), {"'id' is missing"}) == "");
  CHECK(lacks(rejection(without("memory")), {"'track' has no value"}) == "");
  CHECK(parse_front_matter(kGood).short_name == "zero");
  CHECK(parse_front_matter(with("short: ZeRO\n")).short_name == "ZeRO");
  CHECK(lacks(rejection(with("short: optimizers\n")), {"'zero'", "short 'optimizers'", "1 to 9 letters"}) ==
        "");
  CHECK(lacks(rejection(with("short:\n")), {"1 to 9 letters"}) == "");
  CHECK(lacks(rejection(with("tittle: x\n")), {"unknown key 'tittle'", "did you mean title?"}) == "");
  CHECK(lacks(rejection(with("order: 1\n")), {"'order' is given twice"}) == "");
  CHECK(lacks(rejection(with("engine: fast\n")), {"allowed are torch-free and torch"}) == "");
  CHECK_NOTHROW(parse_front_matter(with("engine: torch\n")));
  CHECK(lacks(rejection(with("no colon\n")), {"expected 'key: value'"}) == "");
  std::string unordered = kGood;
  unordered.replace(unordered.find("-2"), 2, "2nd");
  CHECK(lacks(rejection(unordered), {"order '2nd' is no integer"}) == "");
  for (const char* document : {"", "text", "--- \n", " ---\nid: a\n---\n"})
    CHECK(lacks(rejection(document), {"first line must be ---"}) == "");
  for (const char* document : {"---", "---\nid: a", "---\nid: a\n----\n"})
    CHECK(rejection(document) != "accepted");
}
