// A guess built by mouse, by cells and by keys.
#include <catch.h>

#include "ringside/widgets/block_builder.h"
#include "windowless.h"

using namespace ringside;
using ringside::test::Windowless;

namespace {

struct Guess {
  std::vector<ui::BuilderPart> parts = {
      {Category::kParameters, 2, 0}, {Category::kGradients, 2, 0}, {Category::kOptimizer, 12, 0}};
  ui::BlockBuilder builder;
  int changes = 0;

  void frame(Windowless& room) {
    room.in_window([&] {
      if (builder.draw("guess", ImGui::GetContentRegionAvail(), parts)) ++changes;
    });
  }
  void click(Windowless& room, const std::string& item) {
    frame(room);
    REQUIRE(room.mouse_to(item));
    for (const bool down : {false, true, false}) {
      room.button(down);
      frame(room);
    }
  }
  void press(Windowless& room, ui::Key key) {
    room.key(key, true);
    frame(room);
    room.key(key, false);
    frame(room);
  }
};

}  // namespace

TEST_CASE("the builder is drawn without a fault at every size, scale and theme") {
  const float scale = GENERATE(1.0f, 2.0f);
  const ui::Mode mode = GENERATE(ui::Mode::kDark, ui::Mode::kLight);
  const auto size = GENERATE(ImVec2(700, 420), ImVec2(336, 260), ImVec2(240, 180));
  Windowless room(size.x * scale, size.y * scale, scale, mode);
  Guess guess;
  for (int i = 0; i < 2; ++i) guess.frame(room);
  CHECK(room.faults() == "");
  CHECK(room.vertices() > 100);
  guess.parts[0].value = 2;
  guess.parts[1].value = 0.5;
  guess.parts[2].value = 12;
  guess.builder.focus();
  for (int i = 0; i < 2; ++i) guess.frame(room);
  CHECK(room.faults() == "");
  std::vector<ui::BuilderPart> none;
  room.in_window([&] { guess.builder.draw("none", {200, 200}, none); });
  CHECK(room.faults() == "");
}

TEST_CASE("where the names do not fit the cells stay, and can be clicked") {
  Windowless room(206, 170);  // one of three columns at 900x600
  Guess guess;
  guess.frame(room);
  REQUIRE(ui::find_item("guess.O.23") != nullptr);
  CHECK(ui::find_item("guess.O.23")->max.y <= 170);
  guess.click(room, "guess.O.3");
  CHECK(guess.parts[2].value == 2);
  CHECK(room.faults() == "");
}

TEST_CASE("dragging a handle places what it is let go at, in steps, within the whole") {
  Windowless room(700, 420);
  Guess guess;
  guess.frame(room);
  REQUIRE(room.mouse_to("guess.O"));
  guess.frame(room);
  const ui::Item handle = *ui::find_item("guess.O");
  const float x = (handle.min.x + handle.max.x) / 2, y = (handle.min.y + handle.max.y) / 2;
  room.button(true);
  guess.frame(room);
  CHECK(guess.parts[2].value == 0);  // taken, not moved
  room.mouse_to(ImVec2{x, y - 97});
  guess.frame(room);
  CHECK(guess.parts[2].value > 2);
  CHECK(std::fmod(guess.parts[2].value, 0.25) == 0);
  room.mouse_to(ImVec2{x, -50});
  guess.frame(room);
  CHECK(guess.parts[2].value == 12);
  room.mouse_to(ImVec2{x, y + 100});
  guess.frame(room);
  CHECK(guess.parts[2].value == 0);
  room.button(false);
  guess.frame(room);
  room.mouse_to(ImVec2{x, y - 97});
  guess.frame(room);
  CHECK(guess.parts[2].value == 0);
  CHECK(guess.parts[0].value == 0);
  CHECK(guess.changes == 3);
}

TEST_CASE("a cell fills up to itself, and empties itself") {
  Windowless room(700, 420);
  Guess guess;
  guess.click(room, "guess.O.5");
  CHECK(guess.parts[2].value == 3);
  guess.click(room, "guess.P.3");
  CHECK(guess.parts[0].value == 2);
  guess.click(room, "guess.O.5");
  CHECK(guess.parts[2].value == 2.5);
  guess.click(room, "guess.O.0");
  CHECK(guess.parts[2].value == 0.5);
}

TEST_CASE("keys choose a category and change it") {
  Windowless room(700, 420);
  Guess guess;
  guess.builder.focus();
  for (int i = 0; i < 2; ++i) guess.frame(room);
  for (int i = 0; i < 3; ++i) guess.press(room, ui::Key::kUp);
  CHECK(guess.parts[0].value == 0.75);
  guess.press(room, ui::Key::kRight);
  guess.press(room, ui::Key::kEnd);
  CHECK(guess.parts[1].value == 2);
  guess.press(room, ui::Key::kDown);
  CHECK(guess.parts[1].value == 1.75);
  guess.press(room, ui::Key::kLeft);
  guess.press(room, ui::Key::kHome);
  CHECK(guess.parts[0].value == 0);
  CHECK(guess.changes == 6);
}
