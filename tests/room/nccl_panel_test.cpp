// The timeout lesson's pictures: sizes and themes.
#include <tuple>

#include "nccl_seat.h"

using namespace ringside;
using ringside::test::Seat;

TEST_CASE("every picture of the timeout lesson is drawn without a fault") {
  const auto [width, height, scale, mode, ranks] = GENERATE(
      std::tuple{1056.f, 525.f, 1.f, ui::Mode::kDark, 4}, std::tuple{604.f, 306.f, 1.f, ui::Mode::kLight, 4},
      std::tuple{604.f, 306.f, 2.f, ui::Mode::kDark, 8}, std::tuple{1056.f, 525.f, 2.f, ui::Mode::kLight, 3},
      std::tuple{1500.f, 700.f, 1.f, ui::Mode::kDark, 8});
  Seat seat(width, height, scale, mode, ranks);
  INFO(width << " x " << height << " at " << scale << ", ranks " << ranks);
  for (const char* section :
       {"symptom", "fix timeout", "plan 7B", "V1", "live", "case 2", "case 2 check", "case 4", "own"}) {
    seat.watch(section);
    for (const auto& picture : seat.panel->pictures()) {
      seat.show(picture.id);
      INFO(section << ", " << picture.id);
      CHECK(seat.faults() == "");
    }
  }
  seat.watch("case 2");
  for (const char* item : {"look.logs", "look.counters", "look.stacks", "look.verdict", "look.dump"}) {
    REQUIRE(seat.click(item));
    INFO(item);
    CHECK(seat.faults() == "");
  }
  seat.panel->focus_picture();
  seat.frame();
  for (const ui::Key key : {ui::Key::kLeft, ui::Key::kEnter, ui::Key::kSpace}) {
    seat.key(key);
    CHECK(seat.faults() == "");
  }
}
