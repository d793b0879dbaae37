// Keys by name on every version of ImGui: its own key type is of 1.87.
#pragma once

#include <imgui.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace ringside::ui {

// Each key's name for scripts and people, its code in GLFW, and ImGui's name of it since 1.87.
// clang-format off
#define RINGSIDE_KEYS(KEY)                                                                                 \
  KEY(kSpace, "Space", 32, Space) KEY(kEnter, "Enter", 257, Enter) KEY(kEscape, "Escape", 256, Escape)     \
  KEY(kTab, "Tab", 258, Tab) KEY(kLeft, "Left", 263, LeftArrow) KEY(kRight, "Right", 262, RightArrow)      \
  KEY(kUp, "Up", 265, UpArrow) KEY(kDown, "Down", 264, DownArrow) KEY(kHome, "Home", 268, Home)            \
  KEY(kEnd, "End", 269, End) KEY(kPageUp, "PageUp", 266, PageUp) KEY(kPageDown, "PageDown", 267, PageDown) \
  KEY(kF1, "F1", 290, F1) KEY(kComma, ",", 44, Comma) KEY(kPeriod, ".", 46, Period)                        \
  KEY(kMinus, "-", 45, Minus) KEY(kEqual, "=", 61, Equal) KEY(kSlash, "/", 47, Slash)                      \
  KEY(kLeftBracket, "[", 91, LeftBracket) KEY(kRightBracket, "]", 93, RightBracket)                        \
  KEY(k0, "0", 48, 0) KEY(k1, "1", 49, 1) KEY(k2, "2", 50, 2) KEY(k3, "3", 51, 3)                          \
  KEY(k4, "4", 52, 4) KEY(k5, "5", 53, 5) KEY(k6, "6", 54, 6) KEY(k7, "7", 55, 7)                          \
  KEY(k8, "8", 56, 8) KEY(k9, "9", 57, 9) KEY(kA, "A", 65, A) KEY(kB, "B", 66, B)                          \
  KEY(kC, "C", 67, C) KEY(kD, "D", 68, D) KEY(kE, "E", 69, E) KEY(kF, "F", 70, F)                          \
  KEY(kG, "G", 71, G) KEY(kH, "H", 72, H) KEY(kI, "I", 73, I) KEY(kJ, "J", 74, J)                          \
  KEY(kK, "K", 75, K) KEY(kL, "L", 76, L) KEY(kM, "M", 77, M) KEY(kN, "N", 78, N)                          \
  KEY(kO, "O", 79, O) KEY(kP, "P", 80, P) KEY(kQ, "Q", 81, Q) KEY(kR, "R", 82, R)                          \
  KEY(kS, "S", 83, S) KEY(kT, "T", 84, T) KEY(kU, "U", 85, U) KEY(kV, "V", 86, V)                          \
  KEY(kW, "W", 87, W) KEY(kX, "X", 88, X) KEY(kY, "Y", 89, Y) KEY(kZ, "Z", 90, Z)
// clang-format on

#define RINGSIDE_KEY_ENUMERATOR(key, name, glfw, imgui) key,
enum class Key : uint8_t { RINGSIDE_KEYS(RINGSIDE_KEY_ENUMERATOR) };
#undef RINGSIDE_KEY_ENUMERATOR

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
