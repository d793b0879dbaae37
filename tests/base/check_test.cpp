#include "ringside/base/check.h"

#include "catch.h"

using namespace ringside;

TEST_CASE("a failed check shows both expressions and values, and evaluates its operands once") {
  const int shards = 3, ranks = 4;
  try {
    RINGSIDE_CHECK_EQ(shards, ranks);
    FAIL("the check passed");
  } catch (const InvariantError& error) {
    const std::string text = error.what();
    CHECK(text.find("shards == ranks (3 against 4)") != std::string::npos);
    CHECK(text.find("tests/base/check_test.cpp:") != std::string::npos);
    CHECK(text.front() != '/');  // no folder of the machine that built it
    CHECK(error.code() == ExitCode::kInternal);
  }
  CHECK_NOTHROW([&] { RINGSIDE_CHECK_LT(shards, ranks); }());
  CHECK_THROWS_AS([&] { RINGSIDE_CHECK(shards > ranks, "too few: " << shards); }(), InvariantError);
  int calls = 0;
  RINGSIDE_CHECK_EQ(++calls, 1);
  CHECK(calls == 1);
}
