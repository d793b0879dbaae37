#include "ringside/lesson/run_parts.h"

#include "catch.h"

using namespace ringside;

TEST_CASE("parts of a run: how many have begun, and what share of the time is over") {
  const auto store = TraceStore::create("test");
  RunControl control;
  std::vector<Progress> told;
  const RunContext context{*store, control, [&](const Progress& progress) { told.push_back(progress); }};
  RunParts alike(context, 2);
  alike.begin("one"), alike.section("two");
  RunParts unlike(context, 3, 10);
  unlike.begin("short", 1), unlike.section("long", 8), unlike.tell("short", 1), unlike.tell("one more", 5);
  REQUIRE(told.size() == 6);
  CHECK((share_of(told[0]) == 0.5 && share_of(told[1]) == 1));
  CHECK((share_of(told[2]) == 0 && share_of(told[3]) == 0.1 && share_of(told[4]) == 0.9));
  CHECK((told[3].phase == "long" && told[3].done == 2 && told[3].total == 3));
  CHECK(share_of(told[5]) == 1);
  CHECK(store->snapshot().find("long") != nullptr);
}
