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
  seat.frames(3);
  seat.key(ui::Key::kLeft);
  CHECK(seat.at("bucket_bounced") == "no");
  seat.key(ui::Key::kHome);
  CHECK(seat.at("bucket_sum") == "0");
  PredictionSpec asked;
  asked.id = "first_bucket";
  seat.asked = &asked;
  seat.frames(2);
  CHECK(seat.faults() == "");
  CHECK(ui::find_item("figure.bucket.closed") != nullptr);
  CHECK(ui::find_item("bucket.all") == nullptr);
  CHECK(ui::find_item("bucket.sum") == nullptr);
}

TEST_CASE("the digits of the sum lock from the right, played or at once") {
  Seat seat(1056, 700);
  seat.show("bucket");
  REQUIRE(seat.click("bucket.play"));  // without motion
  seat.frames(2);
  CHECK(seat.at("bucket_sum") == "467019003");
  CHECK(seat.at("digits") == "9");
  CHECK(ui::find_item("bucket.equal") != nullptr);
  REQUIRE(seat.click("bucket.empty"));
  CHECK(seat.at("digits") == "0");
  ui::look().motion = true;
  seat.panel->focus_picture();
  seat.frame();
  seat.key(ui::Key::kSpace);
  seat.frames(15);
  const long long part = std::stoll(seat.at("bucket_sum"));
  CHECK(part > 0);
  CHECK(part < 467019003);
  CHECK(seat.panel->moves());
  for (int i = 0; i < 900 && seat.panel->moves(); ++i) {
    seat.frame();
    CHECK(seat.faults() == "");
  }
  CHECK(seat.at("bucket_sum") == "467019003");
  CHECK(seat.at("bucket_bounced") == "yes");
}

TEST_CASE("while the number's tensor is asked for, no picture tells it") {
  Seat seat(1056, 700);
  PredictionSpec asked;
  asked.id = "what";
  seat.asked = &asked;
  for (const std::string picture : {"bucket", "tensor", "numbers"}) {
    seat.show(picture);
    INFO(picture);
    CHECK(ui::find_item("figure." + picture + ".closed") != nullptr);
    CHECK(ui::find_item("bucket.sum") == nullptr);
    CHECK(seat.faults() == "");
  }
}
