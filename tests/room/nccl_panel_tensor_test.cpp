// The tensor of the logged size.
#include "nccl_seat.h"

using namespace ringside;
using ringside::test::Seat;

TEST_CASE("no batch and no length hit the logged number") {
  Seat seat(1056, 700);
  seat.show("tensor");
  CHECK(seat.at("tensor_difference") == std::to_string(467019003 - 8ll * 2048 * 3584));
  seat.panel->focus_picture();
  seat.frame();
  seat.key(ui::Key::kRight);
  CHECK(seat.at("tensor_difference") == std::to_string(467019003 - 8ll * 2049 * 3584));
  CHECK(seat.sentence == "No batch and no length make 467,019,003 out of rows of 3584.");
}
