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
  CHECK(seat.sentence == "Rank 3 waits in dp #45 since 1.00 s. Who is missing, its log does not say.");
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
