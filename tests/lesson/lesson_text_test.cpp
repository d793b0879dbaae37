#include "ringside/lesson/lesson_text.h"

#include "catch.h"

#include "ringside/base/error.h"

using namespace ringside;

TEST_CASE("a document is cut at its headings of level 2") {
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
}

TEST_CASE("a list is read item by item, each in one line") {
  CHECK(items_of("Before.\n\n- one\n- two\n  goes on\n\n- three\nbehind\n- not\n") ==
        std::vector<std::string>{"one", "two goes on", "three"});
  CHECK(items_of("no list").empty());
  CHECK(items_of("").empty());
}

TEST_CASE("what is asked next has a question and an answer") {
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

TEST_CASE("the words are rows of a table") {
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
}

TEST_CASE("markdown as words") {
  CHECK(without_marks("**In short.** a [b c](<run:zero x=1>), [d](e) `f`") == "In short. a b c, d f");
}

TEST_CASE("the answer in short is a paragraph, cut into sentences") {
  const char* text =
      "## Say it\n**In short.** One `is`. Two of 3.5 are\nmore! And three.\n\n**In depth.** No.\n";
  CHECK(in_short_of(text) == "One is. Two of 3.5 are more! And three.");
  CHECK(sentences_of(in_short_of(text)) ==
        std::vector<std::string>{"One is.", "Two of 3.5 are more!", "And three."});
  CHECK(in_short_of("## Say it\nNothing.\n") == "");
  CHECK(sentences_of("").empty());
}

TEST_CASE("what is to be tried is a scenario and what is said of it") {
  const auto all = trials_of(
      "## Break it\nEach changes one.\n- [a=8](<run:zero a=8>) Eight `make` one. More.\n"
      "- [A barrier](<run:zero b=1>) fails earlier.\n- No link.\n");
  REQUIRE(all.size() == 2);
  CHECK(all[0].scenario == "zero a=8");
  CHECK(all[0].says == "Eight make one. More.");
  CHECK(all[1].says == "A barrier fails earlier.");
  CHECK(trials_of("nothing").empty());
}
