#include "ringside/widgets/keys.h"

#include <array>
#include <utility>

namespace ringside::ui {
namespace {

struct Row {
  std::string_view name;
  int glfw;   // before 1.87 the backend reports the window library's own codes
  int imgui;  // 0 before 1.87 where ImGui knows no such key
};

#if IMGUI_VERSION_NUM >= 18700
#define RINGSIDE_KEY(name) ImGuiKey_##name
#else
#define RINGSIDE_KEY(name) 0
#endif
constexpr Row letter(std::string_view name, int glfw, int imgui) { return {name, glfw, imgui}; }

constexpr std::array<Row, kKeyCount> kRows = {{
    {"Space", 32, RINGSIDE_KEY(Space)},     {"Enter", 257, RINGSIDE_KEY(Enter)},
    {"Escape", 256, RINGSIDE_KEY(Escape)},  {"Tab", 258, RINGSIDE_KEY(Tab)},
    {"Left", 263, RINGSIDE_KEY(LeftArrow)}, {"Right", 262, RINGSIDE_KEY(RightArrow)},
    {"Up", 265, RINGSIDE_KEY(UpArrow)},     {"Down", 264, RINGSIDE_KEY(DownArrow)},
    {"Home", 268, RINGSIDE_KEY(Home)},      {"End", 269, RINGSIDE_KEY(End)},
    {"PageUp", 266, RINGSIDE_KEY(PageUp)},  {"PageDown", 267, RINGSIDE_KEY(PageDown)},
    {"F1", 290, RINGSIDE_KEY(F1)},          {",", 44, RINGSIDE_KEY(Comma)},
    {".", 46, RINGSIDE_KEY(Period)},        {"-", 45, RINGSIDE_KEY(Minus)},
    {"=", 61, RINGSIDE_KEY(Equal)},         {"/", 47, RINGSIDE_KEY(Slash)},
    {"[", 91, RINGSIDE_KEY(LeftBracket)},   {"]", 93, RINGSIDE_KEY(RightBracket)},
    letter("0", 48, RINGSIDE_KEY(0)),       letter("1", 49, RINGSIDE_KEY(1)),
    letter("2", 50, RINGSIDE_KEY(2)),       letter("3", 51, RINGSIDE_KEY(3)),
    letter("4", 52, RINGSIDE_KEY(4)),       letter("5", 53, RINGSIDE_KEY(5)),
    letter("6", 54, RINGSIDE_KEY(6)),       letter("7", 55, RINGSIDE_KEY(7)),
    letter("8", 56, RINGSIDE_KEY(8)),       letter("9", 57, RINGSIDE_KEY(9)),
    letter("A", 65, RINGSIDE_KEY(A)),       letter("B", 66, RINGSIDE_KEY(B)),
    letter("C", 67, RINGSIDE_KEY(C)),       letter("D", 68, RINGSIDE_KEY(D)),
    letter("E", 69, RINGSIDE_KEY(E)),       letter("F", 70, RINGSIDE_KEY(F)),
    letter("G", 71, RINGSIDE_KEY(G)),       letter("H", 72, RINGSIDE_KEY(H)),
    letter("I", 73, RINGSIDE_KEY(I)),       letter("J", 74, RINGSIDE_KEY(J)),
    letter("K", 75, RINGSIDE_KEY(K)),       letter("L", 76, RINGSIDE_KEY(L)),
    letter("M", 77, RINGSIDE_KEY(M)),       letter("N", 78, RINGSIDE_KEY(N)),
    letter("O", 79, RINGSIDE_KEY(O)),       letter("P", 80, RINGSIDE_KEY(P)),
    letter("Q", 81, RINGSIDE_KEY(Q)),       letter("R", 82, RINGSIDE_KEY(R)),
    letter("S", 83, RINGSIDE_KEY(S)),       letter("T", 84, RINGSIDE_KEY(T)),
    letter("U", 85, RINGSIDE_KEY(U)),       letter("V", 86, RINGSIDE_KEY(V)),
    letter("W", 87, RINGSIDE_KEY(W)),       letter("X", 88, RINGSIDE_KEY(X)),
    letter("Y", 89, RINGSIDE_KEY(Y)),       letter("Z", 90, RINGSIDE_KEY(Z)),
}};

const Row& row(Key key) { return kRows[static_cast<size_t>(key)]; }
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
  for (size_t i = 0; i < kRows.size(); ++i) {
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
