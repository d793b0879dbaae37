// Keys by name on every version of ImGui: its own key type is of 1.87.
#pragma once

#include <imgui.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace ringside::ui {

enum class Key : uint8_t {
  kSpace,
  kEnter,
  kEscape,
  kTab,
  kLeft,
  kRight,
  kUp,
  kDown,
  kHome,
  kEnd,
  kPageUp,
  kPageDown,
  kF1,
  kComma,
  kPeriod,
  kMinus,
  kEqual,
  kSlash,
  kLeftBracket,
  kRightBracket,
  k0,
  k1,
  k2,
  k3,
  k4,
  k5,
  k6,
  k7,
  k8,
  k9,
  kA,
  kB,
  kC,
  kD,
  kE,
  kF,
  kG,
  kH,
  kI,
  kJ,
  kK,
  kL,
  kM,
  kN,
  kO,
  kP,
  kQ,
  kR,
  kS,
  kT,
  kU,
  kV,
  kW,
  kX,
  kY,
  kZ
};
inline constexpr int kKeyCount = static_cast<int>(Key::kZ) + 1;

struct Chord {
  Key key;
  bool ctrl = false, shift = false;
};
std::string to_string(const Chord& chord);            // "Ctrl+C"
bool parse_chord(std::string_view text, Chord& out);  // false where it names none

// This frame, with exactly these modifiers (Enter: the keypad's too). Repeats while held where asked.
bool pressed(const Chord& chord, bool repeat = false);
// Presses or releases a key as a person would: scripts and tests.
void inject(Key key, bool down);
void inject_modifiers(bool ctrl, bool shift);
// Mouse and text likewise, on every version.
void inject_mouse(ImVec2 position);
void inject_button(int button, bool down);
void inject_wheel(float amount);
void prepare_keys();  // windowless contexts: the key map that a backend would set

}  // namespace ringside::ui
