// The bucket of the timeout lesson, filled by hand.
#include "nccl_seat.h"

using namespace ringside;
using ringside::test::Seat;

TEST_CASE("gradients drop into the bucket until one does not fit") {
  Seat seat(1056, 700);
  seat.show("bucket");
  CHECK(seat.at("bucket_sum") == "0");
  REQUIRE(seat.click("bucket.next"));
  CHECK(seat.at("bucket_sum") == "251");
  REQUIRE(seat.click("bucket.layer"));
  CHECK(seat.at("bucket_sum") == "899835");
  REQUIRE(seat.click("bucket.all"));
  CHECK(seat.at("bucket_bounced") == "yes");
  CHECK(std::stoll(seat.at("bucket_sum")) <= 500000000);
  CHECK_FALSE(seat.click("bucket.next"));
  seat.panel->focus_picture();
  seat.frame();
  seat.key(ui::Key::kLeft);
  CHECK(seat.at("bucket_bounced") == "no");
  seat.key(ui::Key::kHome);
  CHECK(seat.at("bucket_sum") == "0");
  PredictionSpec asked;
  asked.id = "first_bucket";
  seat.asked = &asked;
  seat.frame();
  CHECK(ui::find_item("bucket.all") != nullptr);  // the source's model shows the rule
  REQUIRE(seat.click("plan=the model here"));
  CHECK(seat.faults() == "");
  CHECK(ui::find_item("bucket.all") == nullptr);
  CHECK(ui::find_item("bucket.sum") == nullptr);
}
