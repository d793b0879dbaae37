// A guess built by mouse, by cells and by keys.
#include <catch.h>

#include "ringside/widgets/block_builder.h"
#include "windowless.h"

using namespace ringside;
using ringside::test::Windowless;

namespace {

struct Guess : Windowless {
  explicit Guess(float width = 700, float height = 420, float scale = 1, ui::Mode mode = ui::Mode::kDark)
      : Windowless(width, height, scale, mode) {
    show([this] { changes += builder.draw("guess", ImGui::GetContentRegionAvail(), blocks, values); });
  }
  std::vector<StateBlock> blocks = {{.category = Category::kParameters, .whole = 2},
                                    {.category = Category::kGradients, .whole = 2},
                                    {.category = Category::kOptimizer, .whole = 12}};
  std::vector<double> values = {0, 0, 0};
  ui::BlockBuilder builder;
  int changes = 0;
};

}  // namespace

TEST_CASE("the builder is drawn without a fault at every size, scale and theme") {
  const float scale = GENERATE(1.0f, 2.0f);
  const ui::Mode mode = GENERATE(ui::Mode::kDark, ui::Mode::kLight);
  const auto size = GENERATE(ImVec2(700, 420), ImVec2(336, 260), ImVec2(240, 180));
  Guess guess(size.x * scale, size.y * scale, scale, mode);
  guess.frames(2);
  CHECK(guess.faults() == "");
  CHECK(guess.vertices() > 100);
  guess.values = {2, 0.5, 12};
  guess.builder.focus();
  guess.frames(2);
  CHECK(guess.faults() == "");
  std::vector<double> none;
  guess.in_window([&] { guess.builder.draw("none", {200, 200}, {}, none); });
  CHECK(guess.faults() == "");
}

TEST_CASE("cells can be clicked where names do not fit; each fills up to itself, and empties") {
  Guess guess(206, 170);  // one of three columns at 900x600
  guess.frames();
  REQUIRE(ui::find_item("guess.O.23") != nullptr);
  CHECK(ui::find_item("guess.O.23")->max.y <= 170);
  guess.click("guess.O.3");
  CHECK(guess.values[2] == 2);
  CHECK(guess.faults() == "");
  Guess large;
  large.click("guess.O.5");
  CHECK(large.values[2] == 3);
  large.click("guess.P.3");
  CHECK(large.values[0] == 2);
  large.click("guess.O.5");
  CHECK(large.values[2] == 2.5);
  large.click("guess.O.0");
  CHECK(large.values[2] == 0.5);
}

TEST_CASE("dragging a handle places what it is let go at, in steps, within the whole") {
  Guess guess;
  guess.frames();
  REQUIRE(guess.mouse_to("guess.O"));
  guess.frames();
  const ui::Item handle = *ui::find_item("guess.O");
  const float x = (handle.min.x + handle.max.x) / 2, y = (handle.min.y + handle.max.y) / 2;
  guess.button(true);
  guess.frames();
  CHECK(guess.values[2] == 0);  // taken, not moved
  guess.mouse_to(ImVec2{x, y - 97});
  guess.frames();
  CHECK(guess.values[2] > 2);
  CHECK(std::fmod(guess.values[2], 0.25) == 0);
  guess.mouse_to(ImVec2{x, -50});
  guess.frames();
  CHECK(guess.values[2] == 12);
  guess.mouse_to(ImVec2{x, y + 100});
  guess.frames();
  CHECK(guess.values[2] == 0);
  guess.button(false);
  guess.frames();
  guess.mouse_to(ImVec2{x, y - 97});
  guess.frames();
  CHECK(guess.values[2] == 0);
  CHECK(guess.values[0] == 0);
  CHECK(guess.changes == 3);
}

TEST_CASE("keys choose a category and change it") {
  Guess guess;
  guess.builder.focus();
  guess.frames(2);
  for (int i = 0; i < 3; ++i) guess.press(ui::Key::kUp);
  CHECK(guess.values[0] == 0.75);
  guess.press(ui::Key::kRight);
  guess.press(ui::Key::kEnd);
  CHECK(guess.values[1] == 2);
  guess.press(ui::Key::kDown);
  CHECK(guess.values[1] == 1.75);
  guess.press(ui::Key::kLeft);
  guess.press(ui::Key::kHome);
  CHECK(guess.values[0] == 0);
  CHECK(guess.changes == 6);
}
