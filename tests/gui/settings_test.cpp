#include "settings.h"

#include <catch.h>
#include <nlohmann/json.hpp>

#include <temp_folder.h>
#include "folders.h"

namespace ringside::gui {
namespace {

using testing::TempFolder;

TEST_CASE("settings come back as they were") {
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
}

TEST_CASE("two rooms change their own fields") {
  const TempFolder folder;
  SettingsFile first(folder.path), second(folder.path);
  first.change([](Settings& s) { s.theme = ui::Mode::kLight; });
  second.change([](Settings& s) { s.scenarios["zero"] = "zero stage=1"; });
  first.change([](Settings& s) { s.scenarios["ring"] = "ring ranks=3"; });
  second.change([](Settings& s) { s.scale = 2; });
  const Settings there = SettingsFile(folder.path).get();
  CHECK(there.theme == ui::Mode::kLight);
  CHECK(there.scale == 2);
  CHECK(there.scenarios.size() == 2);
}

TEST_CASE("values beyond what can be drawn are brought back; others keep their first value") {
  const auto read = [](const char* text) { return read_settings(nlohmann::json::parse(text)); };
  CHECK(read(R"({"scale": 1000})").scale == Settings::kMostScale);
  CHECK(read(R"({"scale": -1})").scale == Settings::kLeastScale);
  CHECK(read(R"({"scale": "big", "motion": 3, "theme": 7, "scenarios": [1]})") == Settings());
  CHECK(read(R"({"font_size": 1e308})").font_size == Settings::kMostFont);
  CHECK_FALSE(read(R"({"window": {"x": 0, "y": 0, "width": 3, "height": 900}})").window.has_value());
  CHECK_FALSE(read(R"({"window": {"x": 0, "y": 0, "width": 900}})").window.has_value());
  CHECK(read(R"({"window": {"x": 1, "y": 2, "width": 99999999, "height": 900}})").window->width == 1 << 15);
  CHECK(read(R"({"last_lesson": "a\nb"})").last_lesson == "ab");
}

TEST_CASE("what could not be written is written with the next change") {
  const TempFolder folder;
  folder.write("file", "");
  SettingsFile file(folder.path / "file" / "inside");
  file.change([](Settings& s) { s.scale = 2; });
  CHECK_FALSE(file.message().empty());
  std::filesystem::remove(folder.path / "file");
  file.change([](Settings& s) { s.motion = false; });
  CHECK(file.message().empty());
  CHECK(SettingsFile(folder.path / "file" / "inside").get().scale == 2);
}

TEST_CASE("a damaged file of settings is moved aside") {
  const TempFolder folder;
  folder.write("settings.json", "theme: dark");
  SettingsFile file(folder.path);
  CHECK(file.get() == Settings());
  CHECK(folder.read("settings.json.damaged-1") == "theme: dark");
}

TEST_CASE("the learner's folders") {
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
