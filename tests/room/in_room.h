// A room without a window, and a person in it.
#pragma once

#include <catch.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>

#include "patience.h"
#include "ringside/lesson/lesson.h"
#include "room.h"
#include "temp_folder.h"
#include "windowless.h"

namespace ringside::gui {

using testing::TempFolder;

class InRoom : public test::Windowless {
 public:
  explicit InRoom(const RoomOptions& options, float width = 1440, float height = 900, float scale = 1)
      : Windowless(width, height, scale, options.mode.value_or(ui::Mode::kDark)) {
    RoomOptions scaled = options;
    scaled.scale = scale;
    room = std::make_unique<Room>(scaled, look());
    look().motion = false;
    shown = [this] { room->frame(); };
    frames(2);
  }

  // The same room in another window, at another scale, in another theme.
  void reshape(float width, float height, float scale, ui::Mode mode) {
    Windowless::reshape(width * scale, height * scale, scale, mode);
    command(mode == ui::Mode::kDark ? "theme dark" : "theme light");
  }

  void frame() { frames(); }
  nlohmann::json state() const { return room->state(); }
  template <typename T>
  T at(const char* pointer) const {
    return state().at(nlohmann::json::json_pointer(pointer)).get<T>();
  }
  // Frames until it holds; false where the run stands still and it does not. Fewer and fewer of them, so that
  // they take no time from the run.
  bool until(const std::function<bool(const nlohmann::json&)>& holds) {
    auto moved = std::chrono::steady_clock::now();
    std::chrono::microseconds pause{1000};
    for (nlohmann::json before;; pause = std::min(2 * pause, std::chrono::microseconds(50'000))) {
      frame();
      const nlohmann::json now = state();
      if (holds(now)) return true;
      if (now.at("run") != before) moved = std::chrono::steady_clock::now();
      if (std::chrono::steady_clock::now() > moved + testing::kPatience) return false;
      before = now.at("run");
      std::this_thread::sleep_for(pause);
    }
  }
  bool until_ended() {
    return until([](const auto& s) { return s.at("run").at("ended") == true; });
  }
  void command(const std::string& line) {
    room->command(line);
    frames(2);
  }
  void key(ui::Key key, bool ctrl = false, bool shift = false) { press(key, ctrl, shift); }
  void type(const std::string& text) {
    for (const char c : text) {
      ImGui::GetIO().AddInputCharacter(static_cast<unsigned char>(c));
      frame();
    }
  }

  std::unique_ptr<Room> room;  // goes before its window
};

// Its run is over.
struct Ended : InRoom {
  explicit Ended(const RoomOptions& options, float width = 1440, float height = 900, float scale = 1)
      : InRoom(options, width, height, scale) {
    REQUIRE(until_ended());
  }
};

inline bool has_read(const nlohmann::json& state) { return state.at("run").at("file") == true; }

inline RoomOptions options_for(const std::string& lesson, std::vector<std::string> words = {}) {
  RoomOptions options;
  options.lesson = lesson;
  options.words = std::move(words);
  return options;
}

}  // namespace ringside::gui
