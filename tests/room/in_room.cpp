#include "in_room.h"

#include <catch.h>

namespace ringside::gui {

InRoom::InRoom(const RoomOptions& options, float width, float height, float scale)
    : Windowless(width, height, scale, options.mode.value_or(ui::Mode::kDark)) {
  RoomOptions scaled = options;
  scaled.scale = scale;
  room = std::make_unique<Room>(scaled, look());
  look().motion = false;
  shown = [this] { room->frame(); };
  frames(2);
}

void InRoom::reshape(float width, float height, float scale, ui::Mode mode) {
  Windowless::reshape(width * scale, height * scale, scale, mode);
  command(mode == ui::Mode::kDark ? "theme dark" : "theme light");
}

bool InRoom::until(const std::function<bool(const nlohmann::json&)>& holds, const std::string& part) {
  auto moved = std::chrono::steady_clock::now();
  std::chrono::microseconds pause{1000};
  for (nlohmann::json before;; pause = std::min(2 * pause, std::chrono::microseconds(50'000))) {
    frame();
    if (holds(state(part))) return true;
    const nlohmann::json now = state("run");
    if (now != before) moved = std::chrono::steady_clock::now();
    if (std::chrono::steady_clock::now() > moved + testing::kPatience) return false;
    before = now;
    std::this_thread::sleep_for(pause);
  }
}

bool InRoom::until_ended() {
  return until([](const auto& s) { return s.at("run").at("ended") == true; }, "run");
}

void InRoom::command(const std::string& line) {
  room->command(line);
  frames(2);
}

void InRoom::type(const std::string& text) {
  for (const char c : text) {
    ImGui::GetIO().AddInputCharacter(static_cast<unsigned char>(c));
    frame();
  }
}

Ended::Ended(const RoomOptions& options, float width, float height, float scale)
    : InRoom(options, width, height, scale) {
  REQUIRE(until_ended());
}

}  // namespace ringside::gui
