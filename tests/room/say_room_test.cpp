// Say it, by keyboard, by mouse and by script; what is kept, and what comes again.
#include <catch.h>

#include "in_room.h"
#include "ringside/base/error.h"

namespace ringside::gui {
namespace {

nlohmann::json kept(const TempFolder& folder) {
  std::ifstream file(folder.path / "progress.json");
  nlohmann::json attempts = nlohmann::json::parse(file).at("attempts");
  std::sort(attempts.begin(), attempts.end(),
            [](const auto& a, const auto& b) { return a.at("prediction") < b.at("prediction"); });
  return attempts;
}

RoomOptions keeping(const TempFolder& folder) {
  RoomOptions options = options_for("example", {"steps=3"});
  options.data_folder = folder.path;
  return options;
}

struct Scene {
  TempFolder folder;
  InRoom in{keeping(folder)};
  std::string page() const { return in.at<std::string>("/say/page"); }
};

TEST_CASE("it is said by keyboard alone, and kept") {
  Scene scene;
  InRoom& in = scene.in;
  in.key(ui::Key::kEscape);
  in.key(ui::Key::k5);
  CHECK(scene.page() == "aloud");
  CHECK(in.at<std::string>("/next") == "tick what you said ▸");
  CHECK_FALSE(in.at<nlohmann::json>("/say").contains("seconds_left"));
  in.key(ui::Key::kSpace);
  const double left = in.at<double>("/say/seconds_left");
  CHECK(left > 20);
  CHECK(in.room->idle_seconds() < 0.5);
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  in.frame();
  CHECK(in.at<double>("/say/seconds_left") < left);

  in.key(ui::Key::kEnter);
  CHECK(scene.page() == "points");
  in.key(ui::Key::kSpace);
  in.key(ui::Key::kDown);
  in.key(ui::Key::kSpace);
  in.key(ui::Key::kSpace);  // not, after all
  in.key(ui::Key::kUp);
  in.key(ui::Key::kUp);  // around
  in.key(ui::Key::kSpace);
  CHECK(in.at<int>("/say/ticks") == 2);
  in.key(ui::Key::kEnter);
  CHECK(scene.page() == "text");
  in.key(ui::Key::kEnter);
  CHECK(scene.page() == "asked");
  CHECK_FALSE(in.at<bool>("/say/shown"));
  in.key(ui::Key::kY);  // nothing is shown yet
  CHECK(in.at<int>("/say/asked") == 0);
  in.key(ui::Key::kEnter);
  CHECK(in.at<bool>("/say/shown"));
  in.key(ui::Key::kN);
  CHECK(in.at<int>("/say/asked") == 1);
  CHECK_FALSE(in.at<bool>("/say/shown"));
  in.key(ui::Key::kSpace);
  in.key(ui::Key::kY);
  CHECK(scene.page() == "done");
  CHECK(in.at<std::string>("/next") == "next lesson ▸");

  const nlohmann::json attempts = kept(scene.folder);
  REQUIRE(attempts.size() == 3);
  CHECK(attempts[0].at("prediction") == "say it");
  CHECK(attempts[0].at("errors") == nlohmann::json{"It is a reduce-scatter, then an all-gather."});
  CHECK(attempts[1].at("prediction") == "say it: Does it cost more with more ranks?");
  CHECK(attempts[1].at("correct") == false);
  CHECK(attempts[2].at("correct") == true);
  in.key(ui::Key::kEnter);
  CHECK(in.at<std::string>("/lesson") == "faults");
}

TEST_CASE("it is said by mouse alone, and what was missed is said again from the menu") {
  Scene scene;
  InRoom& in = scene.in;
  in.click("step=Say it");
  in.click("say.ring");
  CHECK(in.at<double>("/say/seconds_left") > 20);
  in.click("say.start");
  in.click("next");
  in.click("say.point=3");
  in.click("say.point=1");
  in.click("say.point=3");
  CHECK(in.at<int>("/say/ticks") == 1);
  in.click("next");
  in.click("say=asked");
  in.click("say.show");
  in.click("say.missed");
  in.click("say.show");
  in.click("say.had");
  CHECK(scene.page() == "done");
  CHECK(in.at<nlohmann::json>("/say/had") == nlohmann::json{false, true});
  in.click("say.again");
  CHECK(scene.page() == "aloud");
  CHECK(in.at<int>("/say/ticks") == 0);

  in.click("step=Guess");
  in.click("menu");
  in.click("redo.example.say it: Does it cost more with more ranks?");
  CHECK(in.at<std::string>("/step") == "Say it");
  CHECK(scene.page() == "asked");
  in.click("say.show");
  in.click("say.had");
  CHECK(scene.page() == "done");  // that one alone
  in.click("menu");
  in.click("redo.example.say it");
  CHECK(scene.page() == "aloud");
}

TEST_CASE("it is said by script, and a scenario of an answer runs") {
  Scene scene;
  InRoom& in = scene.in;
  in.command("say start");
  CHECK(in.at<std::string>("/step") == "Say it");
  in.command("say points");
  in.command("say tick 2");
  CHECK(in.at<int>("/say/ticks") == 1);
  CHECK_THROWS_AS(in.room->command("say nothing"), UsageError);
  CHECK_THROWS_AS(in.room->command("say tick 0"), UsageError);
  in.command("say tick 9");
  in.command("say asked");
  in.command("say had");  // not shown: nothing happens
  CHECK(in.at<int>("/say/asked") == 0);
  in.key(ui::Key::k1, false, true);  // nor is there a scenario to run
  CHECK(in.at<std::string>("/step") == "Say it");
  in.command("next");
  in.click("say.answer.run.0");
  CHECK(in.at<std::string>("/step") == "Watch");
  CHECK(in.at<std::string>("/scenario") == "example ranks=8");
  in.command("step say");
  CHECK(scene.page() == "asked");
  in.key(ui::Key::k1, false, true);
  CHECK(in.at<std::string>("/step") == "Watch");
}

TEST_CASE("a lesson without points or questions is read") {
  InRoom in(options_for("faults"));
  in.command("step say");
  CHECK(in.at<std::string>("/next") == "read the answer ▸");
  in.key(ui::Key::kEscape);
  in.key(ui::Key::kEnter);
  CHECK(in.at<std::string>("/say/page") == "text");
  in.key(ui::Key::kEnter);
  CHECK(in.at<std::string>("/say/page") == "done");
  CHECK(in.faults() == "");
}

TEST_CASE("every page of it fits small, large and both themes") {
  Scene scene;
  InRoom& in = scene.in;
  for (const ui::Mode mode : {ui::Mode::kDark, ui::Mode::kLight})
    for (const auto& [width, scale] : {std::pair{900.0f, 1.0f}, std::pair{1440.0f, 2.0f}}) {
      in.reshape(width, width * 0.625f, scale, mode);
      for (const char* page : {"aloud", "points", "text", "asked", "done"}) {
        in.command(std::string("say ") + page);
        CHECK(in.faults() == "");
        if (std::string(page) == "asked") in.command("next");
      }
    }
}

}  // namespace
}  // namespace ringside::gui
