#include "ringside/widgets/keys.h"

#include <iterator>
#include <utility>

namespace ringside::ui {
namespace {

struct Row {
  std::string_view name;
  int glfw;   // before 1.87 the backend reports the window library's own codes
  int imgui;  // 0 before 1.87 where ImGui knows no such key
};

#if IMGUI_VERSION_NUM >= 18700
#define RINGSIDE_KEY_ROW(key, name, glfw, imgui) Row{name, glfw, ImGuiKey_##imgui},
#else
#define RINGSIDE_KEY_ROW(key, name, glfw, imgui) Row{name, glfw, 0},
#endif
constexpr Row kRows[] = {RINGSIDE_KEYS(RINGSIDE_KEY_ROW)};

const Row& row(Key key) { return kRows[size_t(key)]; }
constexpr int kKeypadEnter = 335;

bool went_down(Key key, bool repeat) {
#if IMGUI_VERSION_NUM >= 18700
  return ImGui::IsKeyPressed(static_cast<ImGuiKey>(row(key).imgui), repeat) ||
         (key == Key::kEnter && ImGui::IsKeyPressed(ImGuiKey_KeypadEnter, repeat));
#else
  return ImGui::IsKeyPressed(row(key).glfw, repeat) ||
         (key == Key::kEnter && ImGui::IsKeyPressed(kKeypadEnter, repeat));
#endif
}

}  // namespace

std::string to_string(const Chord& chord) {
  return std::string(chord.ctrl ? "Ctrl+" : "") + (chord.shift ? "Shift+" : "") +
         std::string(row(chord.key).name);
}

bool parse_chord(std::string_view text, Chord& out) {
  Chord chord{};
  const auto take = [&](std::string_view prefix) {
    if (!text.starts_with(prefix)) return false;
    text.remove_prefix(prefix.size());
    return true;
  };
  chord.ctrl = take("Ctrl+");
  chord.shift = take("Shift+");
  for (size_t i = 0; i < std::size(kRows); ++i) {
    if (kRows[i].name != text) continue;
    chord.key = static_cast<Key>(i);
    out = chord;
    return true;
  }
  return false;
}

bool pressed(const Chord& chord, bool repeat) {
  const ImGuiIO& io = ImGui::GetIO();
  return io.KeyCtrl == chord.ctrl && io.KeyShift == chord.shift && !io.KeyAlt && went_down(chord.key, repeat);
}

#if IMGUI_VERSION_NUM >= 18700
void inject(Key key, bool down) { ImGui::GetIO().AddKeyEvent(static_cast<ImGuiKey>(row(key).imgui), down); }
void inject_modifiers(bool ctrl, bool shift) {
  ImGui::GetIO().AddKeyEvent(ImGuiMod_Ctrl, ctrl);
  ImGui::GetIO().AddKeyEvent(ImGuiMod_Shift, shift);
}
void inject_mouse(ImVec2 position) { ImGui::GetIO().AddMousePosEvent(position.x, position.y); }
void inject_button(int button, bool down) { ImGui::GetIO().AddMouseButtonEvent(button, down); }
void inject_wheel(float amount) { ImGui::GetIO().AddMouseWheelEvent(0, amount); }
void prepare_keys() {}
#else
void inject(Key key, bool down) { ImGui::GetIO().KeysDown[row(key).glfw] = down; }
void inject_modifiers(bool ctrl, bool shift) {
  ImGui::GetIO().KeyCtrl = ctrl;
  ImGui::GetIO().KeyShift = shift;
}
void inject_mouse(ImVec2 position) { ImGui::GetIO().MousePos = position; }
void inject_button(int button, bool down) { ImGui::GetIO().MouseDown[button] = down; }
void inject_wheel(float amount) { ImGui::GetIO().MouseWheel += amount; }
void prepare_keys() {
  constexpr std::pair<ImGuiKey, int> kMap[] = {
      {ImGuiKey_Tab, 258},      {ImGuiKey_LeftArrow, 263}, {ImGuiKey_RightArrow, 262},
      {ImGuiKey_UpArrow, 265},  {ImGuiKey_DownArrow, 264}, {ImGuiKey_PageUp, 266},
      {ImGuiKey_PageDown, 267}, {ImGuiKey_Home, 268},      {ImGuiKey_End, 269},
      {ImGuiKey_Delete, 261},   {ImGuiKey_Backspace, 259}, {ImGuiKey_Space, 32},
      {ImGuiKey_Enter, 257},    {ImGuiKey_Escape, 256},    {ImGuiKey_KeyPadEnter, kKeypadEnter},
      {ImGuiKey_A, 65},         {ImGuiKey_C, 67},          {ImGuiKey_V, 86},
      {ImGuiKey_X, 88},         {ImGuiKey_Y, 89},          {ImGuiKey_Z, 90}};
  for (const auto& [key, code] : kMap) ImGui::GetIO().KeyMap[key] = code;
}
#endif

}  // namespace ringside::ui
