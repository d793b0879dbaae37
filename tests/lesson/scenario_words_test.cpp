#include <cstdio>

#include "catch.h"
#include "ringside/base/error.h"
#include "ringside/base/random.h"
#include "ringside/lesson/config.h"

using namespace ringside;

namespace {

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

TEST_CASE("A line is split as the shell does") {
  CHECK(split_scenario("").empty());
  CHECK(split_scenario(" \t\n ").empty());
  CHECK(split_scenario("zero  ranks=4\tstage=2 ") == Words{"zero", "ranks=4", "stage=2"});
  CHECK(split_scenario("a='b c' d=\"e 'f' \\\" g\" h=\\ i") == Words{"a=b c", "d=e 'f' \" g", "h= i"});
  CHECK(split_scenario("a='' ''") == Words{"a=", ""});
  CHECK(split_scenario("x='it'\\''s'") == Words{"x=it's"});
}

TEST_CASE("A line that ends inside a quote is rejected") {
  for (const char* line : {"a='b", "a=\"b", "a=b\\", "a=\"b\\"})
    CHECK_THROWS_AS(split_scenario(line), UsageError);
}

TEST_CASE("Only what the shell would change is quoted") {
  CHECK(scenario_of("folder:/a/b-c_d.txt") == "l t=folder:/a/b-c_d.txt");
  CHECK(scenario_of("a b") == "l t='a b'");
  CHECK(scenario_of("it's") == "l t='it'\\''s'");
  CHECK(scenario_of("~") == "l t='~'");
}

TEST_CASE("The shell reads back what was quoted, whatever the bytes") {
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
}
