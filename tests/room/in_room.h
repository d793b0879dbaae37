// A room without a window, and a person in it.
#pragma once

#include <catch.h>

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

class InRoom {
 public:
  explicit InRoom(const RoomOptions& options, float width = 1440, float height = 900, float scale = 1)
      : window_(width, height, scale, options.mode.value_or(ui::Mode::kDark)) {
    RoomOptions scaled = options;
    scaled.scale = scale;
    room = std::make_unique<Room>(scaled, window_.look());
    window_.look().motion = false;
    frames(2);
  }

  // The same room in another window, at another scale, in another theme.
  void reshape(float width, float height, float scale, ui::Mode mode) {
    window_.reshape(width * scale, height * scale, scale, mode);
    command(mode == ui::Mode::kDark ? "theme dark" : "theme light");
  }

  ui::Look& look() { return window_.look(); }
  void frame() {
    window_.frame([&] { room->frame(); });
  }
  void frames(int count) {
    for (int i = 0; i < count; ++i) frame();
  }
  nlohmann::json state() const { return room->state(); }
  template <typename T>
  T at(const char* pointer) const {
    return state().at(nlohmann::json::json_pointer(pointer)).get<T>();
  }
  // Frames until it holds; false where the run stands still and it does not.
  bool until(const std::function<bool(const nlohmann::json&)>& holds) {
    auto moved = std::chrono::steady_clock::now();
    for (nlohmann::json before;;) {
      frame();
      const nlohmann::json now = state();
      if (holds(now)) return true;
      if (now.at("run") != before) moved = std::chrono::steady_clock::now();
      if (std::chrono::steady_clock::now() > moved + testing::kPatience) return false;
      before = now.at("run");
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
  }
  bool until_ended() {
    return until([](const auto& s) { return s.at("run").at("ended") == true; });
  }
  void command(const std::string& line) {
    room->command(line);
    frames(2);
  }
  void click(const std::string& item) {
    frame();
    INFO("click " << item);
    REQUIRE(window_.mouse_to(item));
    frame();
    window_.button(true);
    frame();
    window_.button(false);
    frames(2);
  }
  void hover(const std::string& item) {
    INFO("hover " << item);
    REQUIRE(window_.mouse_to(item));
    frame();
  }
  void drag(ImVec2 from, ImVec2 to) {
    window_.mouse_to(from);
    frame();
    window_.button(true);
    frame();
    window_.mouse_to(to);
    frames(2);
    window_.button(false);
    frames(2);
  }
  void key(ui::Key key, bool ctrl = false, bool shift = false) {
    ui::inject_modifiers(ctrl, shift);
    window_.key(key, true);
    frame();
    window_.key(key, false);
    ui::inject_modifiers(false, false);
    frames(2);
  }
  void type(const std::string& text) {
    for (const char c : text) {
      ImGui::GetIO().AddInputCharacter(static_cast<unsigned char>(c));
      frame();
    }
  }
  std::string faults() const { return window_.faults(); }
  size_t vertices() const { return window_.vertices(); }

 private:
  test::Windowless window_;

 public:
  std::unique_ptr<Room> room;  // goes before its window
};

inline RoomOptions options_for(const std::string& lesson, std::vector<std::string> words = {}) {
  RoomOptions options;
  options.lesson = lesson;
  options.words = std::move(words);
  return options;
}

}  // namespace ringside::gui
