#include "ringside/lesson/config.h"

#include <limits>

#include "catch.h"
#include "check_text.h"
#include "ringside/base/error.h"
#include "ringside/base/random.h"

using namespace ringside;

namespace {

void reject_x(const std::string& value) {
  if (value == "x") throw UsageError("label=x: allowed is anything but x");
}

const std::vector<ParameterSpec> kSpecs = {
    {"ranks", "threads", "", ParameterKind::kInteger, "4", 1, 8},
    {"rate", "learning rate", "", ParameterKind::kReal, "1e-3", 0, 10},
    {"bucket", "bucket size", "", ParameterKind::kCount, "256Ki", 1, 1 << 30},
    {"overlap", "overlap", "", ParameterKind::kChoice, "on", 0, 0, {"on", "off"}},
    {"label", "any text", "", ParameterKind::kText, "", 0, 0, {}, reject_x},
    {"seed", "seed", "", ParameterKind::kInteger, "7", 0, 9.2e18},
};

Config parse(const std::vector<std::string>& words) { return Config::parse("demo", kSpecs, words); }

std::string rejection(const std::vector<std::string>& words) {
  return message_of<UsageError>([&] { parse(words); }, "accepted");
}

Config parse_line(const std::string& line) {
  std::vector<std::string> words = split_scenario(line);
  words.erase(words.begin());
  return parse(words);
}

}  // namespace

TEST_CASE("Defaults hold where nothing is given") {
  const Config config = parse({});
  CHECK(config.integer("ranks") == 4);
  CHECK(config.real("rate") == 1e-3);
  CHECK(config.integer("bucket") == 262144);
  CHECK(config.is_on("overlap"));
  CHECK(config.text("label").empty());
  CHECK(config.scenario() == "demo");
  CHECK(config.scenario(true) == "demo ranks=4 rate=0.001 bucket=256Ki overlap=on label='' seed=7");
}

TEST_CASE("Values are kept canonically, in the order of declaration") {
  const Config config = parse({"seed=007", "bucket=1048576", "rate=0.50", "overlap=off", "ranks=2"});
  CHECK(config.scenario() == "demo ranks=2 rate=0.5 bucket=1Mi overlap=off");
  CHECK(config.integer("seed") == 7);
  CHECK(config.real("ranks") == 2);
  CHECK_FALSE(config.is_on("overlap"));
}

TEST_CASE("A value that equals the default is left out of the line") {
  const Config config = parse({"bucket=262144", "ranks=04"});
  CHECK(config.is_default("bucket"));
  CHECK(config.scenario() == "demo");
}

TEST_CASE("An unknown name is answered with the nearest one and with all there are") {
  CHECK(lacks(rejection({"rnaks=2"}), {"rnaks", "did you mean ranks?", "bucket"}) == "");
  CHECK(lacks(rejection({"zzzzzzzz=2"}), {"zzzzzzzz"}) == "");
  CHECK(lacks(rejection({"zzzzzzzz=2"}), {"did you mean"}) != "");
}

TEST_CASE("Words that are no name=value are rejected") {
  for (const char* word : {"ranks", "=4", "", "ranks 4"})
    CHECK(lacks(rejection({word}), {"expected name=value"}) == "");
}

TEST_CASE("A name may be given once") {
  CHECK(lacks(rejection({"ranks=2", "ranks=2"}), {"ranks: given twice"}) == "");
}

TEST_CASE("Numbers out of range name the key and the range") {
  for (const char* word : {"ranks=0", "ranks=9", "ranks=-1", "ranks=99999999"}) {
    CHECK(lacks(rejection({word}), {word, "allowed are 1 to 8"}) == "");
  }
  CHECK(lacks(rejection({"bucket=0"}), {"allowed are 1 to 1Gi"}) == "");
  CHECK(lacks(rejection({"bucket=2Gi"}), {"allowed are 1 to 1Gi"}) == "");
  CHECK(lacks(rejection({"rate=-1e-9"}), {"allowed are 0 to 10"}) == "");
}

TEST_CASE("What is no number, or no finite one, is rejected naming the key") {
  for (const std::string name : {"ranks", "rate", "bucket"})
    for (const char* value : {"",
                              " 4",
                              "4 ",
                              "nan",
                              "NaN",
                              "inf",
                              "-inf",
                              "1e999",
                              "0x4",
                              "four",
                              "4,0",
                              "1..2",
                              "--4",
                              "+-4",
                              "4Qi",
                              "1e-999",
                              "NAN(1)",
                              "infinity",
                              "99999999999999999999999999",
                              "\xff",
                              "4\n"}) {
      INFO(name << "=" << value);
      CHECK(lacks(rejection({name + "=" + value}), {name, "allowed are"}) == "");
    }
  CHECK(lacks(rejection({"ranks=2.5"}), {"allowed are 1 to 8"}) == "");
}

TEST_CASE("A choice is one of its choices") {
  CHECK(lacks(rejection({"overlap=onn"}), {"allowed are on, off", "did you mean on?"}) == "");
  CHECK(lacks(rejection({"overlap="}), {"allowed are on, off"}) == "");
  CHECK(lacks(rejection({"overlap=ON"}), {"allowed are on, off"}) == "");
}

TEST_CASE("Text is checked by the lesson") {
  CHECK(rejection({"label=x"}) == "label=x: allowed is anything but x");
  CHECK(parse({"label=a=b c"}).text("label") == "a=b c");
}

TEST_CASE("Integers near 2^63 are exact") {
  CHECK(parse({"seed=9007199254740993"}).integer("seed") == 9007199254740993);
  CHECK(lacks(rejection({"seed=9223372036854775807"}), {"allowed are"}) == "");
  CHECK(lacks(rejection({"seed=9223372036854775808"}), {"seed"}) == "");
}

TEST_CASE("Minus zero is zero") { CHECK(parse({"rate=-0"}).scenario() == "demo rate=0"); }

TEST_CASE("A declaration that contradicts itself is a bug") {
  const ParameterSpec outside = {"ranks", "", "", ParameterKind::kInteger, "9", 1, 8};
  const ParameterSpec inside = {"ranks", "", "", ParameterKind::kInteger, "8", 1, 8};
  const ParameterSpec unnamed = {"Ranks!", "", "", ParameterKind::kInteger, "8", 1, 8};
  CHECK_THROWS_AS(Config::parse("demo", {outside}, {}), InvariantError);
  CHECK_THROWS_AS(Config::parse("demo", {inside, inside}, {}), InvariantError);
  CHECK_THROWS_AS(Config::parse("demo", {unnamed}, {}), InvariantError);
  CHECK_THROWS_AS(parse({}).integer("nothing"), InvariantError);
  CHECK_THROWS_AS(parse({}).integer("label"), InvariantError);
}

TEST_CASE("Any configuration comes back from its own scenario line") {
  RandomStream draw(11, "config");
  const std::string alphabet = std::string(" \t\n'\"\\$`;&|<>*?(){}[]!#~=,abcXYZ019._-/\x01\x7f") + "é中Ψ";
  for (int trial = 0; trial < 2000; ++trial) {
    std::string text;
    for (uint64_t i = draw.below(12); i > 0; --i) text += alphabet[draw.below(alphabet.size())];
    if (text == "x") continue;
    const Config config = parse({"label=" + text, "rate=" + std::to_string(draw.uniform() * 10),
                                 "seed=" + std::to_string(draw.next() >> 2),
                                 "bucket=" + std::to_string(1 + draw.below(1 << 30))});
    for (const bool everything : {false, true}) {
      const Config again = parse_line(config.scenario(everything));
      CHECK(again.text("label") == text);
      CHECK(again.real("rate") == config.real("rate"));
      CHECK(again.scenario(true) == config.scenario(true));
    }
  }
}

TEST_CASE("A scenario with some words said otherwise keeps the others") {
  const Config config = parse({"ranks=2", "label=a b"});
  CHECK(config.with({"ranks=8", "seed=3"}).scenario() == "demo ranks=8 label='a b' seed=3");
  CHECK(config.with({}).scenario(true) == config.scenario(true));
  CHECK(config.scenario() == "demo ranks=2 label='a b'");
  CHECK_THROWS_AS(config.with({"ranks=99"}), UsageError);
}

TEST_CASE("bounds of counts are written as people write them") {
  const ParameterSpec spec{"bucket", "", "elements", ParameterKind::kCount, "5e8", 1, 1e15};
  CHECK(allowed_values(spec) == "allowed are 1 to 1e15 elements");
}
