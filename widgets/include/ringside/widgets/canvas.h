// A place of its own for a picture: clipped, with its own focus, so that arrow keys
// reach the picture under the keyboard's hands and nothing else.
#pragma once

#include <imgui.h>

#include <string>

#include "ringside/widgets/draw.h"

namespace ringside::ui {

// From construction to destruction, everything is drawn in it. It marks itself under its id.
class Canvas {
 public:
  // `focus`: takes the keyboard with this frame.
  Canvas(const std::string& id, ImVec2 size, bool focus = false);
  ~Canvas();
  Canvas& operator=(Canvas&&) = delete;

  ImDrawList& list() const { return *list_; }
  const Rect& rect() const { return rect_; }
  bool hovered() const { return hovered_; }  // by a free mouse
  bool active() const { return active_; }    // a button went down in here and is still held
  bool focused() const { return focused_; }
  bool clicked() const { return clicked_; }  // the left button went down in this frame
  ImVec2 mouse() const { return ImGui::GetIO().MousePos; }
  // A frame in the accent colour: where the keyboard is.
  void draw_focus() const;

 private:
  ImDrawList* list_ = nullptr;
  Rect rect_{};
  bool hovered_ = false, active_ = false, focused_ = false, clicked_ = false;
};

// Whether a canvas of this or the last frame has the keyboard.
bool canvas_has_keys();

// A note beside the mouse or at a place, whatever the item.
void note(const std::string& text, const ImVec2* at = nullptr);

}  // namespace ringside::ui
