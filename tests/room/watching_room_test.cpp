// Watch opens where the question is, Break it compares two runs, and the next button follows the lesson.
#include "drawn_text.h"
#include "in_room.h"
#include "ringside/widgets/items.h"

namespace ringside::gui {
namespace {

constexpr int64_t kMs = 1'000'000;

bool is_drawn(InRoom& in, const char* item) {
  in.frame();
  return ui::find_item(item) != nullptr;
}

bool comes_to_say(InRoom& in, const std::string& caption) {
  in.until([&, frames = 0](const auto& s) mutable { return s.at("caption") == caption || ++frames > 300; });
  UNSCOPED_INFO(in.at<std::string>("/caption"));
  return in.at<std::string>("/caption") == caption;
}

}  // namespace

TEST_CASE("Watch opens at the start of backward in the third step of the question's section, paused") {
  Ended in(options_for("acts", {"steps=5"}));
  in.command("predict first 20");
  in.command("next");
  CHECK(in.at<std::string>("/step") == "Watch");
  CHECK(in.at<std::string>("/playhead/section") == "stage 0");
  CHECK_FALSE(in.at<bool>("/playhead/follow"));
  CHECK_FALSE(in.at<bool>("/playhead/playing"));
  CHECK(in.at<int64_t>("/moment/step") == 2);
  CHECK(in.at<std::string>("/moment/phase") == "backward");
  CHECK(in.at<int64_t>("/playhead/since_start_ns") == 7 * kMs);
  // The timeline shows this step, and little more.
  CHECK(in.at<int64_t>("/timeline/from_ns") > 6 * kMs);
  CHECK(in.at<int64_t>("/timeline/to_ns") < 10 * kMs);
}

TEST_CASE("a question's own instant is where Watch opens") {
  Ended in(options_for("acts"));
  in.command("predict second 10");
  in.command("next");
  CHECK(in.at<std::string>("/playhead/section") == "stage 1");
  CHECK(in.at<int64_t>("/playhead/time_ns") == 4'500'000);
}

TEST_CASE("with motion the step is played once, and then pauses") {
  Ended in(options_for("acts"));
  in.command("predict first 20");
  in.look().motion = true;
  in.room->command("next");
  CHECK(in.at<bool>("/playhead/playing"));
  CHECK(in.at<double>("/playhead/speed") == Approx(0.01));
  REQUIRE(in.until([](const auto& s) { return s.at("playhead").at("playing") == false; }));
  CHECK(in.at<int64_t>("/playhead/time_ns") == 9 * kMs);
}

TEST_CASE("whoever comes back to Watch finds the playhead where it was") {
  Ended in(options_for("acts"));
  in.command("predict first 20");
  in.command("next");
  in.key(ui::Key::kHome);
  in.key(ui::Key::k3);
  in.key(ui::Key::k2);
  CHECK(in.at<int64_t>("/playhead/since_start_ns") == 0);
}

TEST_CASE("a run on its way is followed, and its instant is reached as soon as it is recorded") {
  InRoom in(options_for("acts", {"ms=20", "steps=30"}));
  in.command("predict second 10");
  in.command("next");
  CHECK(in.at<bool>("/playhead/follow"));
  REQUIRE(in.until([](const auto& s) { return s.at("playhead").at("follow") == false; }));
  CHECK(in.at<int64_t>("/playhead/time_ns") == 4'500'000);
  CHECK_FALSE(in.at<bool>("/run/ended"));
}

TEST_CASE("a section of fewer steps opens at its last one") {
  Ended in(options_for("acts", {"steps=1"}));
  in.command("predict first 20");
  in.command("next");
  CHECK(in.at<int64_t>("/moment/step") == 0);
  CHECK(in.at<int64_t>("/playhead/time_ns") == 2 * kMs);
}

TEST_CASE("an instant is shown, and a mistake in one is told") {
  Ended in(options_for("acts"));
  in.command("show stage 1:2:forward");
  CHECK(in.at<std::string>("/step") == "Watch");
  CHECK(in.at<int64_t>("/playhead/time_ns") == 7'500'000);
  in.command("show stage 7");
  REQUIRE_FALSE(in.state().at("messages").empty());
  CHECK(in.state().at("messages")[0].get<std::string>().find("stage 7") != std::string::npos);
}

TEST_CASE("Break it changes the learner's own line, pins the run and says the difference in numbers") {
  Ended in(options_for("acts", {"steps=4", "length=1", "ms=20"}));
  in.command("watch stage 1");
  in.command("step break");
  in.command("playhead 0.5");
  CHECK(in.at<std::string>("/difference") == "");
  const auto before = in.at<int64_t>("/playhead/time_ns");
  in.click("text.Break it.run.0");
  CHECK(in.at<std::string>("/scenario") == "acts length=4 steps=4 ms=20");
  CHECK(in.at<std::string>("/pinned").find("length=1") != std::string::npos);
  REQUIRE(in.until_ended());
  CHECK(comes_to_say(in, "stage 1, length=4: sent 5 → 20 B."));
  CHECK(in.at<std::string>("/playhead/section") == "stage 1");
  CHECK(in.at<int64_t>("/playhead/time_ns") == before);
  CHECK(is_drawn(in, "break.gauges"));
  // And back: that changes it again.
  in.click("break.back");
  REQUIRE(in.until_ended());
  CHECK(in.at<std::string>("/scenario") == "acts length=1 steps=4 ms=20");
  CHECK(comes_to_say(in, "stage 1, length=1: sent 20 → 5 B."));
}

TEST_CASE("Break it stands where the question is, for who has not watched") {
  Ended in(options_for("acts"));
  in.look().motion = true;
  in.command("step break");
  CHECK(in.at<std::string>("/watched") == "stage 0");
  CHECK(in.at<int64_t>("/playhead/time_ns") == 8 * kMs);
  CHECK_FALSE(in.at<bool>("/playhead/playing"));
}

TEST_CASE("another stage than the pinned run's is never drawn over it") {
  Ended in(options_for("acts", {"ms=30"}));
  in.command("watch stage 1");
  in.command("step break");
  in.command("playhead 0.9");
  in.click("text.Break it.run.0");
  bool other = false;
  REQUIRE(in.until([&](const nlohmann::json& s) {
    other = other || s.at("watched") == "stage 0";
    return s.at("run").at("ended") == true && s.at("run").at("busy") == false;
  }));
  CHECK_FALSE(other);
  CHECK(in.at<std::string>("/watched") == "stage 1");
}

TEST_CASE("a change that names its own stage is compared with that stage of the pinned run") {
  Ended in(options_for("acts"));
  in.command("watch stage 0");
  in.command("step break");
  in.command("playhead 0.5");
  in.click("text.Break it.run.1");
  REQUIRE(in.until_ended());
  CHECK(in.at<std::string>("/watched") == "stage 1");
  CHECK(comes_to_say(in, "stage=1: no difference in sent, steps."));
}

TEST_CASE("what was guessed of a change is judged") {
  Ended in(options_for("acts"));
  in.command("watch stage 1");
  in.command("step break");
  in.click("break.guess=stay");
  in.click("text.Break it.run.0");
  REQUIRE(in.until_ended());
  CHECK(comes_to_say(in, "stage 1, length=4: sent 10 → 20 B. You said it stays: it went up."));
  in.click("break.guess=go down");
  in.click("break.back");
  REQUIRE(in.until_ended());
  CHECK(comes_to_say(in, "stage 1, length=2: sent 20 → 10 B. As you said."));
}

TEST_CASE("a run pinned by hand stays the one that is compared with") {
  Ended in(options_for("acts"));
  in.command("watch stage 1");
  in.command("step break");
  in.key(ui::Key::kP);
  in.click("text.Break it.run.0");
  REQUIRE(in.until_ended());
  in.command("set steps 2");
  REQUIRE(in.until_ended());
  CHECK(comes_to_say(in, "stage 1, length=4 steps=2: sent 10 → 20 B, steps 3 → 2."));
}

TEST_CASE("a change before the last one was measured is compared with the same pinned run") {
  Ended in(options_for("acts", {"ms=30"}));
  in.command("watch stage 1");
  in.command("step break");
  in.click("text.Break it.run.0");
  in.command("set steps 2");
  CHECK(in.at<std::string>("/pinned").find("length=2 steps=3") != std::string::npos);
  REQUIRE(in.until_ended());
  CHECK(comes_to_say(in, "stage 1, length=4 steps=2: sent 10 → 20 B, steps 3 → 2."));
  CHECK(in.at<std::string>("/watched") == "stage 1");
}

TEST_CASE("a change whose run is replaced before it recorded anything is compared with the same stage") {
  const bool stands = GENERATE(false, true);  // at an instant, or follows the run
  Ended in(options_for("acts", {"steps=2"}));
  in.command("watch stage 0");
  in.command("step break");
  if (stands) in.command("playhead 0.9");
  in.command("set ms 1000");
  REQUIRE(in.until([](const auto& s) { return s.at("run").at("sections") == 1; }, "run"));
  in.command("set ms 1");  // the run before stops within its first step
  REQUIRE(in.until_ended());
  CHECK(in.at<std::string>("/watched") == "stage 0");
  CHECK(comes_to_say(in, "stage 0, ms=1: no difference in sent, steps."));
}

TEST_CASE("another section of the list is compared with the same one of the pinned run") {
  Ended in(options_for("acts"));
  in.command("watch stage 0");
  in.command("step break");
  in.click("text.Break it.run.0");
  REQUIRE(in.until_ended());
  CHECK(comes_to_say(in, "stage 0, length=4: sent 20 → 40 B."));
  in.command("watch stage 1");
  CHECK(comes_to_say(in, "stage 1, length=4: sent 10 → 20 B."));
}

TEST_CASE("where the learner has pinned a section, both are named and no guess is judged") {
  Ended in(options_for("acts"));
  in.command("watch stage 0");
  in.command("step break");
  in.key(ui::Key::kP);
  in.click("break.guess=stay");
  in.click("text.Break it.run.0");
  REQUIRE(in.until_ended());
  in.command("watch stage 1");
  CHECK(comes_to_say(in, "stage 0 → stage 1, length=4: no difference in sent, steps."));
  in.frames(2);
  CHECK(test::drawn_text().find("pinned, stage 0") != std::string::npos);
}

TEST_CASE("a changed run that was stopped is not on its way, and what recorded nothing kept nothing") {
  Ended in(options_for("acts", {"steps=2"}));
  in.command("watch stage 1");
  in.command("step break");
  in.command("set ms 1000");
  REQUIRE(in.until([](const auto& s) { return s.at("run").at("sections") == 1; }, "run"));
  in.key(ui::Key::kX);
  REQUIRE(in.until_ended());
  CHECK(comes_to_say(in, "ms=1000: stopped before it was measured: run it to its end (R)."));
  CHECK(in.at<std::string>("/status") == "stopped; what was recorded is kept");
}

TEST_CASE("Break it has the settings, which a click changes") {
  Ended in(options_for("acts"), 1280, 800);
  in.command("step break");
  in.frames(2);
  REQUIRE(ui::find_item("stage=1") != nullptr);
  in.click("stage=1");
  CHECK(in.at<std::string>("/scenario") == "acts stage=1");
  in.reshape(1024, 560, 1, ui::Mode::kDark);
  in.frames(2);
  CHECK(ui::find_item("stage=1") == nullptr);  // folded, to a button
  CHECK(ui::find_item("parameters.more") != nullptr);
  CHECK(in.faults() == "");
}

TEST_CASE("links to another lesson, and mistakes, are what they were") {
  Ended in(options_for("acts"));
  in.command("step break");
  in.click("text.Break it.run.3");
  REQUIRE(in.state().at("messages").size() == 1);
  CHECK(in.at<std::string>("/scenario") == "acts");
  in.key(ui::Key::k1, false, true);
  CHECK(in.at<std::string>("/scenario") == "acts length=4");
  in.click("text.Break it.run.2");
  CHECK(in.at<std::string>("/lesson") == "pictures");
}

TEST_CASE("the next button follows acts and cases") {
  Ended in(options_for("acts", {"stage=1"}));
  CHECK(in.at<std::string>("/next") == "this is my guess");
  in.command("step watch");
  CHECK(in.at<std::string>("/next") == "next case ▸ (1 of 2 solved)");
  in.command("step reveal");
  CHECK(in.at<std::string>("/caption") == "Solved with 1 look.");
  CHECK(is_drawn(in, "record"));
  CHECK_FALSE(is_drawn(in, "reveal.bars"));
  in.click("next");
  CHECK(in.at<std::string>("/step") == "Watch");
  REQUIRE(in.until_ended());
  CHECK(in.at<std::string>("/scenario") == "acts stage=0");
  CHECK(in.at<std::string>("/next") == "◂ guess: what first asks");
}

TEST_CASE("the next question is announced by its name") {
  Ended in(options_for("acts"));
  in.command("predict first 20");
  in.command("step reveal");
  CHECK(in.at<std::string>("/next") == "next: what second asks ▸");
}

TEST_CASE("where a file cannot be read, the room offers a run") {
  const TempFolder folder;
  std::ofstream(folder.path / "bad.jsonl") << "nonsense\n";
  RoomOptions options = options_for("acts");
  options.trace = folder.path / "bad.jsonl";
  InRoom in(options);
  REQUIRE(in.until([](const auto& s) { return !s.at("messages").empty(); }));
  in.click("hero.run");
  REQUIRE(in.until_ended());
  CHECK(in.at<size_t>("/run/sections") == 2);
  CHECK_FALSE(is_drawn(in, "hero.run"));
}

}  // namespace ringside::gui
