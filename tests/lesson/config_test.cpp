#include "ringside/lesson/config.h"

#include "catch.h"
#include "check_text.h"
#include "ringside/base/error.h"
#include "ringside/base/random.h"
#include "ringside/lesson/investigation.h"
#include "ringside/lesson/suggest.h"

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

using Words = std::vector<std::string>;

const std::vector<ParameterSpec> kText = {{"t", "", "", ParameterKind::kText, ""}};

std::string scenario_of(const std::string& value) {
  return Config::parse("l", kText, {"t=" + value}).scenario();
}

// What /bin/sh makes of the words of a line: each followed by a zero byte.
std::string through_the_shell(const std::string& line) {
  FILE* shell = popen(("printf '%s\\0' " + line).c_str(), "r");
  REQUIRE(shell != nullptr);
  std::string output;
  for (int c = fgetc(shell); c != EOF; c = fgetc(shell)) output += static_cast<char>(c);
  REQUIRE(pclose(shell) == 0);
  return output;
}

}  // namespace

TEST_CASE("defaults hold and are left out; values are kept canonically, in order of declaration") {
  const Config standard = parse({});
  CHECK(standard.integer("ranks") == 4);
  CHECK(standard.real("rate") == 1e-3);
  CHECK(standard.integer("bucket") == 262144);
  CHECK(standard.is_on("overlap"));
  CHECK(standard.text("label").empty());
  CHECK(standard.scenario() == "demo");
  CHECK(standard.scenario(true) == "demo ranks=4 rate=0.001 bucket=256Ki overlap=on label='' seed=7");
  const Config config = parse({"seed=007", "bucket=1048576", "rate=0.50", "overlap=off", "ranks=2"});
  CHECK(config.scenario() == "demo ranks=2 rate=0.5 bucket=1Mi overlap=off");
  CHECK(config.integer("seed") == 7);
  CHECK(config.real("ranks") == 2);
  CHECK_FALSE(config.is_on("overlap"));
  const Config same = parse({"bucket=262144", "ranks=04"});
  CHECK(same.is_default("bucket"));
  CHECK(same.scenario() == "demo");
}

TEST_CASE("unknown, malformed and repeated words are rejected, and numbers out of range") {
  CHECK(lacks(rejection({"rnaks=2"}), {"rnaks", "did you mean ranks?", "bucket"}) == "");
  CHECK(lacks(rejection({"zzzzzzzz=2"}), {"zzzzzzzz"}) == "");
  CHECK(lacks(rejection({"zzzzzzzz=2"}), {"did you mean"}) != "");
  for (const char* word : {"ranks", "=4", "", "ranks 4"})
    CHECK(lacks(rejection({word}), {"expected name=value"}) == "");
  CHECK(lacks(rejection({"ranks=2", "ranks=2"}), {"ranks: given twice"}) == "");
  for (const char* word : {"ranks=0", "ranks=9", "ranks=-1", "ranks=99999999"})
    CHECK(lacks(rejection({word}), {word, "allowed are 1 to 8"}) == "");
  CHECK(lacks(rejection({"bucket=0"}), {"allowed are 1 to 1Gi"}) == "");
  CHECK(lacks(rejection({"bucket=2Gi"}), {"allowed are 1 to 1Gi"}) == "");
  CHECK(lacks(rejection({"rate=-1e-9"}), {"allowed are 0 to 10"}) == "");
  CHECK(parse({"seed=9007199254740993"}).integer("seed") == 9007199254740993);
  CHECK(lacks(rejection({"seed=9223372036854775807"}), {"allowed are"}) == "");
  CHECK(lacks(rejection({"seed=9223372036854775808"}), {"seed"}) == "");
  CHECK(parse({"rate=-0"}).scenario() == "demo rate=0");
  const ParameterSpec spec{"bucket", "", "elements", ParameterKind::kCount, "5e8", 1, 1e15};
  CHECK(allowed_values(spec) == "allowed are 1 to 1e15 elements");
}

TEST_CASE("What is no number, or no finite one, is rejected naming the key") {
  for (const std::string name : {"ranks", "rate", "bucket"})
    for (const std::string& value :
         split("| 4|4 |nan|NaN|inf|-inf|1e999|0x4|four|4,0|1..2|--4|+-4|4Qi|1e-999|NAN(1)|infinity|"
               "99999999999999999999999999|\xff|4\n",
               '|')) {
      INFO(name << "=" << value);
      CHECK(lacks(rejection({name + "=" + value}), {name, "allowed are"}) == "");
    }
  CHECK(lacks(rejection({"ranks=2.5"}), {"allowed are 1 to 8"}) == "");
}

TEST_CASE("a choice is one of its choices; a declaration that contradicts itself is a bug") {
  CHECK(lacks(rejection({"overlap=onn"}), {"allowed are on, off", "did you mean on?"}) == "");
  CHECK(lacks(rejection({"overlap="}), {"allowed are on, off"}) == "");
  CHECK(lacks(rejection({"overlap=ON"}), {"allowed are on, off"}) == "");
  CHECK(rejection({"label=x"}) == "label=x: allowed is anything but x");
  CHECK(parse({"label=a=b c"}).text("label") == "a=b c");
  const ParameterSpec outside = {"ranks", "", "", ParameterKind::kInteger, "9", 1, 8};
  const ParameterSpec inside = {"ranks", "", "", ParameterKind::kInteger, "8", 1, 8};
  const ParameterSpec unnamed = {"Ranks!", "", "", ParameterKind::kInteger, "8", 1, 8};
  CHECK_THROWS_AS(Config::parse("demo", {outside}, {}), InvariantError);
  CHECK_THROWS_AS(Config::parse("demo", {inside, inside}, {}), InvariantError);
  CHECK_THROWS_AS(Config::parse("demo", {unnamed}, {}), InvariantError);
  CHECK_THROWS_AS(parse({}).integer("nothing"), InvariantError);
  CHECK_THROWS_AS(parse({}).integer("label"), InvariantError);
}

TEST_CASE("any configuration comes back from its scenario line; some words may be said otherwise") {
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
  const Config config = parse({"ranks=2", "label=a b"});
  CHECK(config.with({"ranks=8", "seed=3"}).scenario() == "demo ranks=8 label='a b' seed=3");
  CHECK(config.with({}).scenario(true) == config.scenario(true));
  const std::vector<ParameterSpec> alike = {{"seed", "", "", ParameterKind::kInteger, "7", 0, 9},
                                            {"seed_2", "", "", ParameterKind::kInteger, "7", 0, 9}};
  CHECK(Config::parse("l", alike, {"seed=1", "seed_2=2"}).with({"seed=3"}).scenario() == "l seed=3 seed_2=2");
  CHECK(config.scenario() == "demo ranks=2 label='a b'");
  CHECK_THROWS_AS(config.with({"ranks=99"}), UsageError);
}

TEST_CASE("a line is split and quoted as the shell does; the nearest name is suggested") {
  CHECK(split_scenario("").empty());
  CHECK(split_scenario(" \t\n ").empty());
  CHECK(split_scenario("zero  ranks=4\tstage=2 ") == Words{"zero", "ranks=4", "stage=2"});
  CHECK(split_scenario("a='b c' d=\"e 'f' \\\" g\" h=\\ i") == Words{"a=b c", "d=e 'f' \" g", "h= i"});
  CHECK(split_scenario("a='' ''") == Words{"a=", ""});
  CHECK(split_scenario("x='it'\\''s'") == Words{"x=it's"});
  for (const char* line : {"a='b", "a=\"b", "a=b\\", "a=\"b\\"})
    CHECK_THROWS_AS(split_scenario(line), UsageError);
  CHECK(scenario_of("folder:/a/b-c_d.txt") == "l t=folder:/a/b-c_d.txt");
  CHECK(scenario_of("a b") == "l t='a b'");
  CHECK(scenario_of("it's") == "l t='it'\\''s'");
  CHECK(scenario_of("~") == "l t='~'");
  RandomStream draw(5, "shell");
  std::string line, expected;
  for (int word = 0; word < 300; ++word) {
    std::string value;
    for (uint64_t i = 1 + draw.below(8); i > 0; --i)
      value += static_cast<char>(1 + draw.below(255));  // no zero byte
    line += scenario_of(value) + " ";
    expected += std::string("l") + '\0' + "t=" + value + '\0';
  }
  CHECK(through_the_shell(line) == expected);
  const std::vector<std::string> known = {"ranks", "stage", "steps", "bucket"};
  CHECK(suggestion("rank", known) == " (did you mean ranks?)");
  CHECK(suggestion("rnaks", known) == " (did you mean ranks?)");
  CHECK(suggestion("step", known) == " (did you mean steps?)");
  CHECK(suggestion("buckets", known) == " (did you mean bucket?)");
  CHECK(suggestion("xyz", known).empty());
  CHECK(suggestion("", known).empty());
  CHECK(suggestion(std::string(100000, 'r'), known).empty());
  CHECK(suggestion("a", {}).empty());
  CHECK(join({}).empty());
  CHECK(join({"a"}) == "a");
  CHECK(join({"a", "b", "c"}, " | ") == "a | b | c");
}
