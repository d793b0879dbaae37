#include "pacing.h"

#include <catch.h>

#include "frame_times.h"
#include "input_queue.h"
#include "windowless.h"

namespace ringside::gui {
namespace {

// Frames within `seconds` where nothing wakes the wait.
int frames_in(Pacing& pacing, double& now, double seconds, double idle) {
  int frames = 0;
  for (const double end = now + seconds; now < end;) {
    const double wait = pacing.wait(now, idle);
    now += wait;
    if (wait > 0) continue;
    pacing.drawn(now);
    now += 1e-4;
    ++frames;
  }
  return frames;
}

TEST_CASE("without input: as rarely as the room allows, at most 20 a second, at least one") {
  Pacing pacing;
  double now = 0;
  frames_in(pacing, now, 1, 1);
  CHECK(frames_in(pacing, now, 10, 1) == Approx(10).margin(1));
  CHECK(frames_in(pacing, now, 10, 0.05) == Approx(200).margin(2));
  CHECK(frames_in(pacing, now, 10, 0) == Approx(200).margin(2));
  CHECK(frames_in(pacing, now, 10, 1e9) == Approx(10).margin(1));
}

TEST_CASE("input is answered at once, with a few frames") {
  Pacing pacing;
  double now = 0;
  frames_in(pacing, now, 1, 1);
  pacing.input();
  CHECK(pacing.wait(now + 0.1, 1) == 0);
  now += 0.1;
  CHECK(frames_in(pacing, now, 0.2, 1) == Pacing::kFramesAfterInput);
}

TEST_CASE("input that never ends: at most 60 frames a second") {
  Pacing pacing;
  double now = 0;
  int frames = 0;
  for (; now < 2; now += 0.001) {
    pacing.input();
    if (pacing.wait(now, 1) > 0) continue;
    pacing.drawn(now);
    ++frames;
  }
  CHECK(frames == Approx(120).margin(6));
}

TEST_CASE("a clock that went backwards does not stop the window") {
  Pacing pacing;
  for (int i = 0; i < 5; ++i) pacing.drawn(1e6);
  CHECK(pacing.wait(0, 0.5) <= 0.5);
}

TEST_CASE("frame times: middle, worst, histogram") {
  FrameTimes times;
  CHECK(times.recent(0.5) == 0);
  CHECK(times.overall(0.5) == 0);
  CHECK(times.histogram().empty());
  for (int i = 0; i < 990; ++i) times.add(1'000'000);
  for (int i = 0; i < 10; ++i) times.add(40'000'000);
  CHECK(times.count() == 1000);
  CHECK(times.recent(0.5) == 1);
  CHECK(times.recent(0.99) == 40);
  CHECK(times.overall(0.5) == Approx(1).epsilon(0.1));
  CHECK(times.overall(0.999) == Approx(40).epsilon(0.1));
  CHECK(times.histogram().find("990") != std::string::npos);
  CHECK(times.histogram().find("longer 10") != std::string::npos);
  times.add(int64_t{1} << 62);
  times.add(-5);
  CHECK(times.count() == 1002);
}

// A button that counts its clicks, and a field; one frame a call.
struct Desk {
  test::Windowless windowless{400, 300};
  InputQueue input;
  int clicks = 0, doubles = 0;
  char text[64] = "";
  void frame() {
    input.feed();
    windowless.in_window([&] {
      if (ImGui::Button("press")) ++clicks;
      ui::mark("press");
      if (ImGui::IsItemHovered() && ImGui::IsMouseDoubleClicked(0)) ++doubles;
      ImGui::InputText("text", text, sizeof text);
      ui::mark("text");
    });
  }
  void frames(int count) {
    for (int i = 0; i < count; ++i) frame();
  }
  void aim(const char* item) {
    const ui::Item* found = ui::find_item(item);
    REQUIRE(found != nullptr);
    input.move({found->min.x + 10, (found->min.y + found->max.y) / 2});
  }
};

TEST_CASE("what is pressed and released between two frames is still a click") {
  Desk desk;
  desk.frames(2);
  desk.aim("press");
  desk.input.button(0, true);
  desk.input.button(0, false);
  desk.input.move({390, 290});
  desk.frames(6);
  CHECK(desk.clicks == 1);
  CHECK_FALSE(desk.input.pending());
  CHECK(desk.input.mouse()->x == 390);
}

TEST_CASE("a double click between two frames is two clicks") {
  Desk desk;
  desk.frames(2);
  desk.aim("press");
  for (const bool down : {true, false, true, false}) desk.input.button(0, down);
  desk.frames(8);
  CHECK(desk.clicks == 2);
  CHECK(desk.doubles == 1);
}

TEST_CASE("letters and keys keep their order") {
  Desk desk;
  desk.frames(2);
  desk.aim("text");
  desk.input.button(0, true);
  desk.input.button(0, false);
  desk.frames(4);
  ui::Chord left;
  REQUIRE(ui::parse_chord("Left", left));
  desk.input.text("14P/M");
  desk.input.chord(left, true);
  desk.input.chord(left, false);
  desk.input.text("é");
  desk.frames(10);
  CHECK(std::string(desk.text) == "14P/éM");
}

TEST_CASE("a mouse that reports often costs one event") {
  Desk desk;
  desk.frame();
  for (int i = 0; i < 1000; ++i) desk.input.move({static_cast<float>(i % 400), 5});
  desk.frame();
  CHECK_FALSE(desk.input.pending());
  CHECK(desk.input.mouse()->x == 199);
}

}  // namespace
}  // namespace ringside::gui
