#include "input_queue.h"

#include <imgui_internal.h>

#include <utility>

namespace ringside::gui {

void InputQueue::push(Event event) {
#if IMGUI_VERSION_NUM >= 18700
  event.apply();
  fed_ = true;
#else
  events_.push_back(std::move(event));
#endif
}

void InputQueue::move(ImVec2 position) {
  // A mouse reports a hundred times a frame; only where it is between two clicks counts.
  if (!events_.empty() && events_.back().kind == Kind::kMove) events_.pop_back();
  push({Kind::kMove, 0, true, [this, position] {
          mouse_ = position;
          ui::inject_mouse(position);
        }});
}
void InputQueue::button(int which, bool down) {
  if (which < 0 || which >= ImGuiMouseButton_COUNT) return;
  push({Kind::kButton, which, down, [this, which, down] {
          down_[which] = down;
          ui::inject_button(which, down);
        }});
}
void InputQueue::wheel(float amount) {
  push({Kind::kWheel, 0, true, [amount] { ui::inject_wheel(amount); }});
}
void InputQueue::text(std::string utf8) {
  push({Kind::kText, 0, true,
        [utf8 = std::move(utf8)] { ImGui::GetIO().AddInputCharactersUTF8(utf8.c_str()); }});
}
void InputQueue::letter(unsigned code_point) {
  push({Kind::kText, 0, true, [code_point] { ImGui::GetIO().AddInputCharacter(code_point); }});
}
void InputQueue::key(int code, bool down, std::function<void()> apply) {
  push({Kind::kKey, code, down, std::move(apply)});
}
void InputQueue::chord(const ui::Chord& chord, bool down) {
  key(-1 - int(chord.key), down, [chord, down] {
    ui::inject_modifiers(down && chord.ctrl, down && chord.shift);
    ui::inject(chord.key, down);
  });
}

bool InputQueue::hides(const Event& event, const Fed& fed) {
  switch (event.kind) {
    case Kind::kMove:  // a press belongs to the place where it happened
      return !fed.buttons.empty() || fed.wheel;
    case Kind::kButton: return fed.buttons.contains(event.code) || fed.wheel;
    case Kind::kWheel: return !fed.buttons.empty();
    case Kind::kText: return false;
    case Kind::kKey:  // letters before it come before it
      return fed.keys.contains(event.code) || (fed.text && event.down);
  }
  return true;
}

void InputQueue::apply(const Event& event, Fed& fed) {
  if (event.kind == Kind::kButton) fed.buttons.insert(event.code);
  if (event.kind == Kind::kKey) fed.keys.insert(event.code);
  fed.wheel = fed.wheel || event.kind == Kind::kWheel;
  fed.text = fed.text || event.kind == Kind::kText;
  event.apply();
}

bool InputQueue::pending() const {
#if IMGUI_VERSION_NUM >= 18700
  return ImGui::GetCurrentContext()->InputEventsQueue.Size > 0;
#else
  return !events_.empty();
#endif
}

bool InputQueue::feed() {
#if IMGUI_VERSION_NUM < 18700
  // That version's backend asks the window how things are by now; what counts is what was fed.
  if (mouse_) ui::inject_mouse(*mouse_);
  for (int b = 0; b < ImGuiMouseButton_COUNT; ++b) ui::inject_button(b, down_[b]);
#endif
  Fed fed;
  while (!events_.empty() && !hides(events_.front(), fed)) {
    const Event event = std::move(events_.front());
    events_.pop_front();
    apply(event, fed);
    fed_ = true;
  }
  return std::exchange(fed_, false);
}

}  // namespace ringside::gui
