// Events on their way to Dear ImGui, a few a frame. Before 1.87 ImGui looks at mouse and keys once
// a frame: what is pressed and released within one frame never happened. So a frame gets events up
// to the first that would hide another one. Newer versions have such a queue themselves: there
// everything is handed over at once, in its order.
#pragma once

#include <imgui.h>

#include <deque>
#include <functional>
#include <optional>
#include <set>
#include <string>

#include "ringside/widgets/keys.h"

namespace ringside::gui {

class InputQueue {
 public:
  void move(ImVec2 position);
  void button(int which, bool down);
  void wheel(float amount);
  void text(std::string utf8);
  void letter(unsigned code_point);
  // `code` tells keys apart; `apply` hands this event to ImGui.
  void key(int code, bool down, std::function<void()> apply);
  void chord(const ui::Chord& chord, bool down);

  // Before NewFrame(), after a backend's own: true where something was fed.
  bool feed();
  bool pending() const;  // there is more for the next frame
  std::optional<ImVec2> mouse() const { return mouse_; }

 private:
  enum class Kind { kMove, kButton, kWheel, kText, kKey };
  struct Event {
    Kind kind;
    int code;
    bool down;
    std::function<void()> apply;
  };
  struct Fed {  // in this frame
    std::set<int> buttons, keys;
    bool text = false, wheel = false;
  };

  void push(Event event);
  static bool hides(const Event& event, const Fed& fed);
  void apply(const Event& event, Fed& fed);

  std::deque<Event> events_;
  std::optional<ImVec2> mouse_;  // where it was fed last
  bool fed_ = false;             // something, since the last frame
  bool down_[ImGuiMouseButton_COUNT] = {};
};

}  // namespace ringside::gui
