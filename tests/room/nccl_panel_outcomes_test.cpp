// Cases and fixes of the timeout lesson: an answer comes before the truth.
#include "nccl_seat.h"

using namespace ringside;
using ringside::test::Seat;

TEST_CASE("the truth waits for an answer, and a wrong one lets look on") {
  Seat seat(1056, 1000);
  seat.watch("case 2 check");
  seat.frame();
  CHECK(ui::find_item("outcome") == nullptr);
  CHECK(ui::find_item("lanes") == nullptr);
  REQUIRE(seat.click("case.back"));
  CHECK(seat.playhead.section == "case 2");
  CHECK_FALSE(seat.click("answer"));
  REQUIRE(seat.click("look.dump"));
  REQUIRE(seat.click("culprit=rank 1"));
  REQUIRE(seat.click("cause.one_batch_more"));
  REQUIRE(seat.click("answer"));
  CHECK(seat.at("verdict") == "only cause");
  CHECK(ui::find_item("case.fix") == nullptr);
  REQUIRE(seat.click("culprit=rank 3"));
  REQUIRE(seat.click("answer"));
  CHECK(seat.at("verdict") == "right");
  CHECK(seat.at("tries") == "2");
  REQUIRE(seat.click("case.check"));
  CHECK(seat.playhead.section == "case 2 check");
  CHECK(ui::find_item("outcome") != nullptr);
  REQUIRE(seat.click("case.fix"));
  CHECK(seat.playhead.section == "case 2 fixed");
}

TEST_CASE("fixes of act 1 are watched where they are recorded, and run where they are not") {
  Seat seat(1056, 700);
  CHECK(seat.at("lanes") == "one");
  REQUIRE(seat.click("fix.timeout"));
  CHECK(seat.playhead.section == "fix timeout");
  CHECK(seat.at("tried") == "timeout");
  CHECK(ui::find_item("outcome.fix timeout") != nullptr);
  REQUIRE(seat.click("fix.rank"));
  CHECK(seat.scenario == "nccl_timeout act=1 fix=rank");
}
