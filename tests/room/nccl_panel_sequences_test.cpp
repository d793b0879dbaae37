// The lanes of the timeout lesson: what may be seen when, and how they are aligned.
#include "nccl_seat.h"

using namespace ringside;
using ringside::test::Seat;

TEST_CASE("a case shows one lane until somebody looks, and each look is counted") {
  Seat seat(1056, 900);
  seat.watch("case 2");
  seat.frame();
  CHECK(seat.at("lanes") == "one");
  CHECK(seat.at("looks") == "0");
  CHECK(ui::find_item("lane.3") != nullptr);
  CHECK(ui::find_item("lane.0") == nullptr);
  CHECK(ui::find_item("waits") == nullptr);
  CHECK(seat.sentence ==
        "Rank 3 has waited 1.00 s (group dp, call 45). Its log does not say which rank is missing.");
  REQUIRE(seat.click("look.counters"));
  CHECK(seat.at("lanes") == "one");
  CHECK(ui::find_item("counters") != nullptr);
  REQUIRE(seat.click("look.dump"));
  CHECK_FALSE(seat.click("look.dump"));
  CHECK(seat.at("looks") == "2");
  CHECK(seat.at("lanes") == "all");
  CHECK(seat.at("missing") == "dp#45:0 dp#45:1 dp#45:2 default#10:3");
  CHECK(seat.at("cycle") == "3 ─dp #45─▸ 0,1,2 ─default #10─▸ 3");
  CHECK(ui::find_item("3.default#10") != nullptr);
  CHECK(seat.sentence == "Rank 3 has waited 1.00 s for ranks 0, 1 and 2 (group dp, call 45).");
}

TEST_CASE("aligning anew slides, and is over after 0.3 s") {
  Seat seat;
  seat.watch("live");
  ui::look().motion = true;
  seat.frames(2);
  const float before = ui::find_item("3.dp#44")->min.x;
  REQUIRE(seat.click("align=by time"));
  const float sliding = ui::find_item("3.dp#44")->min.x;
  for (int i = 0; i < 9; ++i) {
    seat.frame();
    CHECK(seat.faults() == "");
  }
  const float after = ui::find_item("3.dp#44")->min.x;
  CHECK(sliding != before);
  CHECK(sliding != after);
  seat.frames(3);
  CHECK(ui::find_item("3.dp#44")->min.x == after);
}

TEST_CASE("by time all groups share one axis, each in a row of its own") {
  Seat seat(1056, 900);
  seat.watch("live");
  seat.frame();
  const float before = ui::find_item("3.default#8")->min.x;
  REQUIRE(seat.click("align=by time"));
  const ui::Item first = *ui::find_item("3.dp#44"), later = *ui::find_item("3.default#8");
  CHECK(first.max.y <= later.min.y);
  CHECK(first.min.x < later.min.x);
  CHECK(later.min.x < before);  // it has left its group's half
  CHECK(seat.faults() == "");
}

TEST_CASE(
    "the hole opens: a clock, the slide, the threads; by button and by key, and at once without motion") {
  Seat seat(1056, 900);
  seat.watch("case 2");
  seat.frame();
  REQUIRE(seat.click("look.dump"));  // without motion
  CHECK(seat.at("hole") == "");
  CHECK(ui::find_item("lanes.threads") != nullptr);
  ui::look().motion = true;
  REQUIRE(seat.click("hole"));
  CHECK(seat.at("hole") == "clock");
  CHECK(ui::find_item("lanes.clock") != nullptr);
  CHECK(seat.panel->moves());
  std::string seen;
  for (int i = 0; i < 80; ++i) {
    seat.frame();
    CHECK(seat.faults() == "");
    if (const std::string now = seat.at("hole"); !now.empty() && !seen.ends_with(now)) seen += " " + now;
  }
  CHECK(seen == " clock slide threads");
  CHECK_FALSE(seat.panel->moves());
  CHECK(ui::find_item("lanes.threads") != nullptr);
  seat.panel->focus_picture();
  seat.frame();
  seat.key(ui::Key::kEnd);
  CHECK(seat.at("hole") == "clock");
}

TEST_CASE("act 1 is closed like a case: its lanes and its timeline open with a look") {
  Seat seat(1056, 900);
  CHECK(seat.at("lanes") == "one");
  CHECK(ui::find_item("look.dump") == nullptr);
  REQUIRE(seat.click("fix.rank"));
  CHECK(seat.scenario == "");
  CHECK(seat.playhead.section == "symptom");
  CHECK(ui::find_item("cause.killed") == nullptr);  // the rank alone is asked for
  REQUIRE(seat.click("look.dump"));
  CHECK(seat.at("lanes") == "all");
  REQUIRE(seat.click("culprit=rank 0"));
  REQUIRE(seat.click("answer"));
  CHECK(seat.at("verdict") == "wrong");
  REQUIRE(seat.click("culprit=rank 3"));
  REQUIRE(seat.click("answer"));
  CHECK(seat.at("verdict") == "right");
  CHECK(seat.next_label() == "run the fix ▸");
  REQUIRE(seat.click("fix.rank"));
  CHECK(seat.scenario == "nccl_timeout act=1 fix=rank");
}

TEST_CASE("a fault that nothing noticed does not look healthy") {
  Seat seat(1056, 900);
  seat.watch("own");
  seat.show("sequences");
  CHECK(seat.at("unnoticed") == "differs");
  CHECK(ui::find_item("unnoticed") != nullptr);
  CHECK(ui::find_item("struck") != nullptr);
  CHECK(seat.at("struck") == "1.dp#42");
  CHECK(seat.sentence == "Nothing noticed the fault. The parameters are not those of the run without it.");
  CHECK(seat.next_label() == "the same with check=on ▸");
}
