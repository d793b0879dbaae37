// How the learner likes the room: CONFIG/settings.json. Window and room write their own parts of
// it, and two rooms may be open: a change touches its own fields and nothing else.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

#include "kept_file.h"
#include "ringside/widgets/look.h"

namespace ringside::gui {

struct WindowPlace {
  int x = 0, y = 0, width = 0, height = 0;  // in screen coordinates
  bool operator==(const WindowPlace&) const = default;
};

struct Settings {
  static constexpr float kLeastScale = 0.5f, kMostScale = 4, kLeastFont = 0.75f, kMostFont = 2;

  ui::Mode theme = ui::Mode::kDark;
  float scale = 1;      // the learner's, times the display's
  float font_size = 1;  // times that
  bool motion = true;
  std::optional<WindowPlace> window;
  std::string last_lesson;
  std::map<std::string, std::string> scenarios;  // the last line of each lesson
  bool operator==(const Settings&) const = default;
};

class SettingsFile {
 public:
  explicit SettingsFile(const std::filesystem::path& config_folder);  // empty: in memory only

  const Settings& get() const { return settings_; }
  // Written at once, over what is in the file by now. What could not be written is tried again with
  // the next change.
  void change(const std::function<void(Settings&)>& set);
  const std::string& message() const { return file_.message(); }

 private:
  KeptFile file_;
  Settings settings_;
  Settings saved_;  // what was last read or written: the difference is ours
};

Settings read_settings(const nlohmann::json& document);  // of null: as they are at first
nlohmann::json write_settings(const Settings& settings);

}  // namespace ringside::gui
