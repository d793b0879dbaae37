#include "ringside/data/hidden_facts.h"

#include "catch.h"
#include "ringside/base/error.h"

namespace ringside {

TEST_CASE("facts are hidden in passages of their own, where their questions' words stand", "[data]") {
  Dataset data;
  data.train = {{tokenize("abcde", 10)}, {tokenize("fg", 10)}};
  data.test = {{tokenize("h", 10)}};
  CHECK(passages_of(data, 2, 3) == std::vector<std::string>{"abc", "de", "fg"});
  CHECK(passages_of(data, 9, 3).size() == 4);
  const HiddenFacts facts = hide_facts(std::vector<std::string>(5, "text"), 3, 1);
  REQUIRE(facts.questions.size() == 3);
  for (size_t i = 0; i < 3; ++i) {
    const std::string& passage = facts.passages[facts.place[i]];
    CHECK(passage.starts_with("text\nThe password of the storehouse in "));
    CHECK(facts.questions[i].find(passage.substr(39, 8)) != std::string::npos);
  }
  CHECK(std::set(facts.place.begin(), facts.place.end()).size() == 3);
  // Who reads two passages for each: the right one first, second, never.
  const size_t other = (facts.place[2] + 1) % 5;
  const FoundFacts found = facts_in_first(
      facts, {{facts.place[0], 1, 2}, {other, facts.place[1]}, {other, other, facts.place[2]}}, 2);
  CHECK(found.share == Approx(2 / 3.0));
  CHECK(found.bytes > 8);
  CHECK_THROWS_AS(hide_facts({"one"}, 2, 1), UsageError);
}

}  // namespace ringside
