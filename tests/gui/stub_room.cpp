// Stands in for the room where the program around it is tested: one button, one field, a counter.
// "stuck" makes it refuse to stop, as a run does that never comes to its next step. Its state
// stands in the data folder from the first frame on.
#include <chrono>
#include <fstream>
#include <nlohmann/json.hpp>
#include <thread>

#include "ringside/base/error.h"
#include "ringside/widgets/draw.h"
#include "ringside/widgets/items.h"
#include "room.h"
#include "settings.h"

namespace ringside::gui {

struct Room::Impl {
  ui::Look& look;
  RoomOptions options;
  SettingsFile settings;
  int clicks = 0;
  char text[64] = "";
  float display = 1;
  bool closing = false, stuck = false;
  void keep();
  std::string opened;
  std::string kept;  // the state that is in the file
  std::chrono::steady_clock::time_point start = std::chrono::steady_clock::now();
};

Room::Room(const RoomOptions& options, ui::Look& look)
    : impl_(
          new Impl{look, options, SettingsFile(options.config_folder), 0, "", 1, false, false, "", "", {}}) {
  impl_->start = std::chrono::steady_clock::now();
  if (options.lesson == "nothing") throw UsageError("there is no lesson 'nothing'");
  look.mode = options.mode.value_or(impl_->settings.get().theme);
  look.motion = false;
}
Room::~Room() {
  while (impl_->stuck) std::this_thread::sleep_for(std::chrono::milliseconds(50));
}

void Room::frame() {
  ImGui::SetNextWindowPos({0, 0});
  ImGui::SetNextWindowSize(ImGui::GetIO().DisplaySize);
  ImGui::Begin("room", nullptr, ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove);
  if (ui::button("press", "press", true)) ++impl_->clicks;
  ImGui::InputText("text", impl_->text, sizeof impl_->text);
  ui::mark("text");
  ui::paragraph("Ψ ≈ 漢字 " + std::to_string(impl_->clicks));
  ImGui::End();
  impl_->keep();
}
void Room::Impl::keep() {
  const std::string now = nlohmann::json({{"clicks", clicks}, {"text", text}}).dump();
  if (options.data_folder.empty() || now == kept) return;
  std::filesystem::create_directories(options.data_folder);
  const auto file = options.data_folder / "stub.json", beside = options.data_folder / "stub.json.new";
  std::ofstream(beside) << now;
  std::filesystem::rename(beside, file);  // never seen half written
  kept = now;
}
double Room::idle_seconds() const { return 1; }
bool Room::leaving() const { return impl_->closing; }
bool Room::closing() const { return impl_->closing; }
void Room::close() { impl_->closing = !impl_->stuck; }
void Room::take_dropped(const std::vector<std::filesystem::path>& paths) {
  impl_->opened = paths.front().string();
}
float Room::scale() const { return impl_->options.scale.value_or(impl_->display); }
void Room::display_scale(float content_scale) { impl_->display = content_scale; }
void Room::command(const std::string& line) {
  if (line == "stuck")
    impl_->stuck = true;
  else if (line == "leave")
    impl_->closing = true;
  else if (line == "chinese")
    impl_->look.fonts.need("漢字");
  else
    throw UsageError("no command '" + line + "'");
}
nlohmann::json Room::state(const std::string&) const {
  const auto age = std::chrono::duration<double>(std::chrono::steady_clock::now() - impl_->start).count();
  return {{"clicks", impl_->clicks},
          {"text", impl_->text},
          {"scale", impl_->look.scale},
          {"dark", impl_->look.mode == ui::Mode::kDark},
          {"opened", impl_->opened},
          {"lesson", impl_->options.lesson},
          {"words", impl_->options.words},
          {"data_folder", impl_->options.data_folder.string()},
          {"width", ImGui::GetIO().DisplaySize.x},
          {"run", {{"busy", age < 0.5}}}};
}

}  // namespace ringside::gui
