// A room without a window, and a person in it.
#pragma once

#include <catch.h>

#include <nlohmann/json.hpp>

#include "patience.h"
#include "ringside/lesson/lesson.h"
#include "room.h"
#include "temp_folder.h"
#include "windowless.h"

namespace ringside::gui {

using testing::TempFolder;

class InRoom : public test::Windowless {
 public:
  explicit InRoom(const RoomOptions& options, float width = 1440, float height = 900, float scale = 1);

  // The same room in another window, at another scale, in another theme.
  void reshape(float width, float height, float scale, ui::Mode mode);

  void frame() { frames(); }
  nlohmann::json state(const std::string& part = "") const { return room->state(part); }
  template <typename T>
  T at(const char* pointer) const {
    const std::string path = pointer;
    return state(path.substr(1, path.find('/', 1) - 1)).at(nlohmann::json::json_pointer(path)).get<T>();
  }
  // Frames until it holds; false where the run stands still and it does not. Fewer and fewer of them, so that
  // they take no time from the run. It is given that part of the state; "": all.
  bool until(const std::function<bool(const nlohmann::json&)>& holds, const std::string& part = "");
  bool until_ended();
  void command(const std::string& line);
  void key(ui::Key key, bool ctrl = false, bool shift = false) { press(key, ctrl, shift); }
  void type(const std::string& text);

  std::unique_ptr<Room> room;  // goes before its window
};

// Its run is over.
struct Ended : InRoom {
  explicit Ended(const RoomOptions& options, float width = 1440, float height = 900, float scale = 1);
};

inline bool is_guessed(const InRoom& in, const std::string& id) {
  return in.state().at("answers").at(id).contains("guess");
}
inline bool has_read(const nlohmann::json& state) { return state.at("run").at("file") == true; }

inline RoomOptions options_for(const std::string& lesson, std::vector<std::string> words = {}) {
  RoomOptions options;
  options.lesson = lesson;
  options.words = std::move(words);
  return options;
}

}  // namespace ringside::gui
