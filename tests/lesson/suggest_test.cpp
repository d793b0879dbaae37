#include "ringside/lesson/suggest.h"

#include "catch.h"

using namespace ringside;

TEST_CASE("The nearest name is suggested, and only if it is near") {
  const std::vector<std::string> known = {"ranks", "stage", "steps", "bucket"};
  CHECK(suggestion("rank", known) == " (did you mean ranks?)");
  CHECK(suggestion("rnaks", known) == " (did you mean ranks?)");
  CHECK(suggestion("step", known) == " (did you mean steps?)");
  CHECK(suggestion("buckets", known) == " (did you mean bucket?)");
  CHECK(suggestion("xyz", known).empty());
  CHECK(suggestion("", known).empty());
  CHECK(suggestion(std::string(100000, 'r'), known).empty());
  CHECK(suggestion("a", {}).empty());
}

TEST_CASE("Words are joined") {
  CHECK(join({}).empty());
  CHECK(join({"a"}) == "a");
  CHECK(join({"a", "b", "c"}, " | ") == "a | b | c");
}
