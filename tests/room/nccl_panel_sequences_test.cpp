// The evidence of the timeout lesson: what may be seen when, and the hole that opens.
#include "nccl_seat.h"

using namespace ringside;
using ringside::test::Seat;

TEST_CASE("a case shows one rank until somebody looks, and each look is counted") {
  Seat seat(1056, 1000);
  seat.watch("case 2");
  seat.frame();
  CHECK(seat.at("picture") == "calls");
  CHECK(seat.at("lanes") == "one");
  CHECK(seat.at("looks") == "0");
  CHECK(ui::find_item("figure.calls.1.0") != nullptr);  // the logger's rows, one a group
  CHECK(ui::find_item("figure.calls.2.0") == nullptr);
  CHECK(seat.sentence ==
        "Rank 3 has waited 1.00 s (group dp, call 45). Its log does not say which rank is missing.");
  for (const char* closed : {"logs", "counters", "stacks", "waits"}) {
    seat.show(closed);
    CHECK(seat.at("looks") == "0");
    CHECK(ui::find_item(std::string("figure.") + closed + ".0") == nullptr);
  }
  REQUIRE(seat.click("look.counters"));
  CHECK(seat.at("picture") == "counters");
  CHECK(seat.at("lanes") == "one");
  REQUIRE(seat.click("look.dump"));
  CHECK_FALSE(seat.click("look.dump"));
  CHECK(seat.at("looks") == "2");
  CHECK(seat.at("lanes") == "all");
  CHECK(ui::find_item("figure.calls.7.0") != nullptr);  // four ranks in two groups
  CHECK(seat.sentence == "Rank 3 has waited 1.00 s for ranks 0, 1 and 2 (group dp, call 45).");
  seat.show("waits");
  CHECK(seat.sentence.find("went into training") == std::string::npos);  // the verdict is a look of its own
  REQUIRE(seat.click("look.verdict"));
  CHECK(seat.at("looks") == "3");
  CHECK(seat.sentence == "Rank 3 went into training step 3 while the others evaluate.");
}

TEST_CASE("the hole opens: a clock, then the threads; at once without motion") {
  Seat seat(1056, 1000);
  seat.watch("case 2");
  seat.frame();
  ui::look().motion = true;
  REQUIRE(seat.click("look.dump"));
  CHECK(seat.at("hole") == "clock");
  CHECK(ui::find_item("lanes.clock") != nullptr);
  CHECK(seat.panel->moves());
  std::string seen;
  for (int i = 0; i < 120; ++i) {
    seat.frame();
    CHECK(seat.faults() == "");
    if (const std::string now = seat.at("hole"); !now.empty() && !seen.ends_with(now)) seen += " " + now;
  }
  CHECK(seen == " clock threads");
  CHECK_FALSE(seat.panel->moves());
  CHECK(ui::find_item("lanes.threads") != nullptr);
}

TEST_CASE("act 1 is closed like a case: its lanes and its timeline open with a look") {
  Seat seat(1056, 1000);
  CHECK(seat.at("lanes") == "one");
  CHECK(ui::find_item("look.dump") == nullptr);
  REQUIRE(seat.click("fix.rank"));
  CHECK(seat.scenario == "");
  CHECK(seat.playhead.section == "symptom");
  CHECK(ui::find_item("cause.killed") == nullptr);  // the rank alone is asked for
  REQUIRE(seat.click("look.dump"));
  CHECK(seat.at("lanes") == "all");
  REQUIRE(seat.click("culprit=0"));
  REQUIRE(seat.click("answer"));
  CHECK(seat.at("verdict") == "wrong");
  REQUIRE(seat.click("culprit=3"));
  REQUIRE(seat.click("answer"));
  CHECK(seat.at("verdict") == "right");
  CHECK(seat.next_label() == "run the fix ▸");
  REQUIRE(seat.click("fix.rank"));
  CHECK(seat.scenario == "nccl_timeout act=1 fix=rank");
}

TEST_CASE("a fault that nothing noticed does not look healthy") {
  Seat seat(1056, 900);
  seat.watch("own");
  seat.show("calls");
  CHECK(seat.sentence == "Nothing noticed the fault. The parameters are not those of the run without it.");
  CHECK(seat.next_label() == "the same with check=on ▸");
}
