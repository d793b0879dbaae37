// How the room looks: colours, type, scale. One Look a context, set by whoever
// owns the window (or the test) before the first frame.
//
// Meaning by form: filled = measured, dashed = the learner's guess, a tick with a
// label = the formula, an outline = the pinned run. A rank is a position and a
// label, never a hue. A collective has the hue of what it carries.
#pragma once

#include <imgui.h>

#include <cstdint>
#include <string_view>

#include "ringside/figures/palette.h"
#include "ringside/trace/events.h"
#include "ringside/widgets/fonts.h"
#include "ringside/widgets/terms.h"

namespace ringside::ui {

using figure::Mode;
using Palette = figure::Rgb;  // its bytes in ImGui's order
const Palette& palette_of(Mode mode);

struct Look {
  Mode mode = Mode::kDark;
  float scale = 1;     // of the display times the user's; px() multiplies by it
  bool motion = true;  // off: nothing moves by itself
  // A page lies over what is drawn now: it gets no tips and no notes, which would lie over the page.
  bool covered = false;
  Fonts fonts;
  Terms terms;  // of what is drawn from now on
  const Palette& colours() const { return palette_of(mode); }
};

// Of the current context. InvariantError before set_look().
Look& look();
void set_look(Look* look);
void apply_style();  // ImGui's own colours and sizes from look(), after mode or scale changed

inline const Palette& colours() { return look().colours(); }
inline float px(float points) { return points * look().scale; }
inline ImVec2 px(float x, float y) { return {px(x), px(y)}; }
inline constexpr float kGap = 8;  // 4, 8, 16, 24: the spacings in use

inline ImU32 colour_of(figure::Ink ink) { return figure::rgb_of(colours(), ink); }
inline ImU32 colour_of(Category category) { return colour_of(figure::ink_of(category)); }
std::string_view letter_of(Category category);  // "P" "G" "O" "A" "B" "·"
std::string_view code_of(Op op);                // "AR" "RS" "AG" "BC" "A2A" "S" "R" "BAR"
// What a collective carries by its tag ("gradients", "parameters", ...), for its colour.
ImU32 colour_of_tag(std::string_view tag);
ImU32 text_on(ImU32 fill);                  // black or white, whichever reads better
ImU32 mix(ImU32 a, ImU32 b, float amount);  // a at 0, b at 1; opaque
ImU32 fade(ImU32 colour, float amount);     // towards the background: 0 unchanged, 1 background; opaque

struct VerdictMark {
  std::string_view glyph, word;
  ImU32 colour;
};
VerdictMark mark_of(Verdict verdict);  // ✓ holds, ✗ fails, ◐ partly, — not testable

}  // namespace ringside::ui
