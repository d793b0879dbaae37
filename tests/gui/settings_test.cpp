#include "settings.h"

#include <catch.h>
#include <nlohmann/json.hpp>

#include <temp_folder.h>
#include "folders.h"

namespace ringside::gui {
namespace {

using testing::TempFolder;

TEST_CASE("settings come back as they were; two rooms change their own fields") {
  const TempFolder folder;
  Settings wanted;
  wanted.theme = ui::Mode::kLight;
  wanted.scale = 1.5f;
  wanted.font_size = 1.25f;
  wanted.motion = false;
  wanted.window = WindowPlace{-20, 30, 1280, 720};
  wanted.last_lesson = "zero";
  wanted.scenarios = {{"zero", "zero stage=3 ranks=8"}};
  SettingsFile file(folder.path);
  file.change([&](Settings& settings) { settings = wanted; });
  CHECK(SettingsFile(folder.path).get() == wanted);
  const TempFolder shared;
  SettingsFile first(shared.path), second(shared.path);
  first.change([](Settings& s) { s.theme = ui::Mode::kLight; });
  second.change([](Settings& s) { s.scenarios["zero"] = "zero stage=1"; });
  first.change([](Settings& s) { s.scenarios["ring"] = "ring ranks=3"; });
  second.change([](Settings& s) { s.scale = 2; });
  const Settings both = SettingsFile(shared.path).get();
  CHECK(both.theme == ui::Mode::kLight);
  CHECK(both.scale == 2);
  CHECK(both.scenarios.size() == 2);
}

TEST_CASE("values beyond what can be drawn are brought back; the learner's folders") {
  const auto read = [](const char* text) { return read_settings(nlohmann::json::parse(text)); };
  CHECK(read(R"({"scale": 1000})").scale == Settings::kMostScale);
  CHECK(read(R"({"scale": -1})").scale == Settings::kLeastScale);
  CHECK(read(R"({"scale": "big", "motion": 3, "theme": 7, "scenarios": [1]})") == Settings());
  CHECK(read(R"({"font_size": 1e308})").font_size == Settings::kMostFont);
  CHECK_FALSE(read(R"({"window": {"x": 0, "y": 0, "width": 3, "height": 900}})").window.has_value());
  CHECK_FALSE(read(R"({"window": {"x": 0, "y": 0, "width": 900}})").window.has_value());
  CHECK(read(R"({"window": {"x": 1, "y": 2, "width": 99999999, "height": 900}})").window->width == 1 << 15);
  CHECK(read(R"({"last_lesson": "a\nb"})").last_lesson == "ab");
  std::map<std::string, std::string> environment = {{"HOME", "/home/me"}};
  const auto folders = [&] {
    return home_folders([&](const char* name) -> const char* {
      const auto found = environment.find(name);
      return found == environment.end() ? nullptr : found->second.c_str();
    });
  };
  CHECK(folders().data == "/home/me/.local/share/ringside");
  CHECK(folders().config == "/home/me/.config/ringside");
  environment["XDG_DATA_HOME"] = "/data";
  environment["XDG_CONFIG_HOME"] = "relative";
  CHECK(folders().data == "/data/ringside");
  CHECK(folders().config == "/home/me/.config/ringside");
  environment = {{"XDG_CONFIG_HOME", ""}};
  CHECK(folders().data.empty());
  CHECK(folders().config.empty());
}

}  // namespace
}  // namespace ringside::gui
