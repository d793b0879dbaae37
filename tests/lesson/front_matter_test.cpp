#include "ringside/lesson/front_matter.h"

#include "catch.h"
#include "check_text.h"
#include "ringside/base/error.h"

using namespace ringside;

namespace {

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

TEST_CASE("Front matter is read, and the text kept byte for byte") {
  const std::string text = "# $\\eta$ ; \"x\" ${y} @z@ )md\"\r\n\xff ---\n---\nend";
  const FrontMatter matter = parse_front_matter(kGood + text + std::string(1, '\0'));
  CHECK(matter.id == "zero");
  CHECK(matter.title == "What: is kept?");
  CHECK(matter.order == -2);
  CHECK(matter.track == "memory");
  CHECK(matter.questions == std::vector<std::string>{"B13", "B14"});
  CHECK(matter.text == text + std::string(1, '\0'));
}

TEST_CASE("Lines may end as on Windows, and be blank") {
  const FrontMatter matter = parse_front_matter(
      "---\r\nid: a\r\n\r\ntitle:  b \r\norder: 3\r\ntrack: c\r\nquestions:\r\nengine: "
      "torch-free\r\n---\r\ntext");
  CHECK(matter.id == "a");
  CHECK(matter.title == "b");
  CHECK(matter.questions.empty());
  CHECK(matter.text == "text");
}

TEST_CASE("A missing key is named, with the lesson") {
  CHECK(lacks(rejection(without("title: What: is kept?\n")), {"'zero'", "'title' is missing"}) == "");
  CHECK(lacks(rejection(without("order: -2\n")), {"'order' is missing"}) == "");
  CHECK(lacks(rejection(without("questions: B13, B14\n")), {"'questions' is missing"}) == "");
  CHECK(lacks(rejection(without("id: zero\n")), {"'id' is missing"}) == "");
  CHECK(lacks(rejection(without("memory")), {"'track' has no value"}) == "");
}

TEST_CASE("A short name is a few letters; without one it is the id") {
  CHECK(parse_front_matter(kGood).short_name == "zero");
  CHECK(parse_front_matter(with("short: ZeRO\n")).short_name == "ZeRO");
  CHECK(lacks(rejection(with("short: optimizers\n")), {"'zero'", "short 'optimizers'", "1 to 9 letters"}) ==
        "");
  CHECK(lacks(rejection(with("short:\n")), {"1 to 9 letters"}) == "");
}

TEST_CASE("A key that is unknown, doubled or malformed is named") {
  CHECK(lacks(rejection(with("tittle: x\n")), {"unknown key 'tittle'", "did you mean title?"}) == "");
  CHECK(lacks(rejection(with("order: 1\n")), {"'order' is given twice"}) == "");
  CHECK(lacks(rejection(with("engine: fast\n")), {"allowed are torch-free and torch"}) == "");
  CHECK_NOTHROW(parse_front_matter(with("engine: torch\n")));
  CHECK(lacks(rejection(with("no colon\n")), {"expected 'key: value'"}) == "");
  std::string unordered = kGood;
  unordered.replace(unordered.find("-2"), 2, "2nd");
  CHECK(lacks(rejection(unordered), {"order '2nd' is no integer"}) == "");
}

TEST_CASE("A document without front matter is rejected") {
  for (const char* document : {"", "text", "--- \n", " ---\nid: a\n---\n"})
    CHECK(lacks(rejection(document), {"first line must be ---"}) == "");
  for (const char* document : {"---", "---\nid: a", "---\nid: a\n----\n"})
    CHECK(rejection(document) != "accepted");
}
