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

TEST_CASE("without input few frames; a clock that went backwards does not stop the window") {
  Pacing pacing;
  double now = 0;
  frames_in(pacing, now, 1, 1);
  CHECK(frames_in(pacing, now, 10, 1) == Approx(10).margin(1));
  CHECK(frames_in(pacing, now, 10, 0.05) == Approx(200).margin(2));
  CHECK(frames_in(pacing, now, 10, 0) == Approx(200).margin(2));
  CHECK(frames_in(pacing, now, 10, 1e9) == Approx(10).margin(1));
  Pacing back;
  for (int i = 0; i < 5; ++i) back.drawn(1e6);
  CHECK(back.wait(0, 0.5) <= 0.5);
}

TEST_CASE("input is answered at once, with a few frames, and at most 60 a second") {
  Pacing pacing;
  double now = 0;
  frames_in(pacing, now, 1, 1);
  pacing.input();
  CHECK(pacing.wait(now + 0.1, 1) == 0);
  now += 0.1;
  CHECK(frames_in(pacing, now, 0.2, 1) == Pacing::kFramesAfterInput);
  Pacing busy;
  double time = 0;
  int frames = 0;
  for (; time < 2; time += 0.001) {
    busy.input();
    if (busy.wait(time, 1) > 0) continue;
    busy.drawn(time);
    ++frames;
  }
  CHECK(frames == Approx(120).margin(6));
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

TEST_CASE("what happens between two frames is still a click, or two") {
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
  Desk twice;
  twice.frames(2);
  twice.aim("press");
  for (const bool down : {true, false, true, false}) twice.input.button(0, down);
  twice.frames(8);
  CHECK(twice.clicks == 2);
  CHECK(twice.doubles == 1);
}

TEST_CASE("letters and keys keep their order; a mouse that reports often costs one event") {
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
  Desk mouse;
  mouse.frame();
  for (int i = 0; i < 1000; ++i) mouse.input.move({static_cast<float>(i % 400), 5});
  mouse.frame();
  CHECK_FALSE(mouse.input.pending());
  CHECK(mouse.input.mouse()->x == 199);
}

}  // namespace
}  // namespace ringside::gui
