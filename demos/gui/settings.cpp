#include "settings.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

namespace ringside::gui {
namespace {

using Json = nlohmann::json;

constexpr size_t kMostLessons = 200, kNameBytes = 64, kScenarioBytes = 1024;
constexpr int kFarthest = 1 << 15, kLeastSide = 200;

// A field that is missing or is not what it should be keeps its first value.
float number(const Json& object, const char* key, float least, float most, float otherwise) {
  if (!object.contains(key) || !object[key].is_number()) return otherwise;
  const auto value = object[key].get<double>();
  return std::isfinite(value) ? float(std::clamp<double>(value, least, most)) : otherwise;
}
std::string text(const Json& object, const char* key, size_t most) {
  return object.contains(key) && object[key].is_string() ? clean_text(object[key].get<std::string>(), most)
                                                         : "";
}

std::optional<WindowPlace> read_place(const Json& object) {
  if (!object.is_object()) return std::nullopt;
  const auto side = [&](const char* key) {
    return int(number(object, key, -kFarthest, kFarthest, -kFarthest));
  };
  const WindowPlace place{side("x"), side("y"), side("width"), side("height")};
  if (place.width < kLeastSide || place.height < kLeastSide || place.x <= -kFarthest || place.y <= -kFarthest)
    return std::nullopt;
  return place;
}

// What was changed here since `before`, put into what is in the file.
Settings merged(const Settings& before, const Settings& after, Settings there) {
  const auto put = [&](auto Settings::*field) {
    if (after.*field != before.*field) there.*field = after.*field;
  };
  put(&Settings::theme);
  put(&Settings::scale);
  put(&Settings::font_size);
  put(&Settings::motion);
  put(&Settings::window);
  put(&Settings::last_lesson);
  for (const auto& [lesson, line] : after.scenarios) {
    const auto old = before.scenarios.find(lesson);
    if (old == before.scenarios.end() || old->second != line) there.scenarios[lesson] = line;
  }
  return there;
}

}  // namespace

Settings read_settings(const Json& document) {
  Settings settings;
  if (!document.is_object()) return settings;
  if (text(document, "theme", kNameBytes) == "light") settings.theme = ui::Mode::kLight;
  settings.scale = number(document, "scale", Settings::kLeastScale, Settings::kMostScale, settings.scale);
  settings.font_size =
      number(document, "font_size", Settings::kLeastFont, Settings::kMostFont, settings.font_size);
  if (document.contains("motion") && document["motion"].is_boolean()) settings.motion = document["motion"];
  if (document.contains("window")) settings.window = read_place(document["window"]);
  settings.last_lesson = text(document, "last_lesson", kNameBytes);
  if (!document.contains("scenarios") || !document["scenarios"].is_object()) return settings;
  for (const auto& [lesson, line] : document["scenarios"].items()) {
    if (settings.scenarios.size() < kMostLessons && line.is_string())
      settings.scenarios[clean_text(lesson, kNameBytes)] =
          clean_text(line.get<std::string>(), kScenarioBytes);
  }
  return settings;
}

Json write_settings(const Settings& settings) {
  Json document = {{"theme", settings.theme == ui::Mode::kDark ? "dark" : "light"},
                   {"scale", settings.scale},
                   {"font_size", settings.font_size},
                   {"motion", settings.motion},
                   {"last_lesson", settings.last_lesson},
                   {"scenarios", settings.scenarios}};
  if (settings.window) {
    const WindowPlace& place = *settings.window;
    document["window"] = {{"x", place.x}, {"y", place.y}, {"width", place.width}, {"height", place.height}};
  }
  return document;
}

SettingsFile::SettingsFile(const std::filesystem::path& config_folder)
    : file_(config_folder, "settings.json", "ringside settings", 1) {
  Json there;
  file_.read(there);
  settings_ = saved_ = read_settings(there);
}

void SettingsFile::change(const std::function<void(Settings&)>& set) {
  set(settings_);
  if (settings_ == saved_) return;
  const bool written = file_.update([&](const Json& there) {
    settings_ = merged(saved_, settings_, there.is_null() ? settings_ : read_settings(there));
    return write_settings(settings_);
  });
  if (written) saved_ = settings_;
}

}  // namespace ringside::gui
