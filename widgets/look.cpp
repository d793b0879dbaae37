#include "ringside/widgets/look.h"

#include <algorithm>
#include <cmath>

#include "ringside/base/check.h"

namespace ringside::ui {
namespace {

constexpr ImU32 rgb(unsigned value) { return IM_COL32(value >> 16, value >> 8 & 0xFF, value & 0xFF, 0xFF); }

constexpr Palette palette(const figure::Rgb& c) {
  return {rgb(c.background), rgb(c.panel),      rgb(c.raised),    rgb(c.line),      rgb(c.text),
          rgb(c.dim),        rgb(c.parameters), rgb(c.gradients), rgb(c.optimizer), rgb(c.activations),
          rgb(c.other),      rgb(c.accent),     rgb(c.alarm)};
}
constexpr Palette kDark = palette(figure::kDark), kLight = palette(figure::kLight);

Look* current = nullptr;

ImVec4 vec(ImU32 colour) { return ImGui::ColorConvertU32ToFloat4(colour); }

void set_colours(ImGuiStyle& style, const Palette& p) {
  const auto set = [&](ImGuiCol_ slot, ImU32 colour) { style.Colors[slot] = vec(colour); };
  for (ImVec4& colour : style.Colors) colour = vec(p.raised);
  set(ImGuiCol_Text, p.text);
  set(ImGuiCol_TextDisabled, p.dim);
  set(ImGuiCol_WindowBg, p.background);
  set(ImGuiCol_PopupBg, p.panel);
  set(ImGuiCol_ChildBg, p.background);
  style.Colors[ImGuiCol_ChildBg].w = 0;
  set(ImGuiCol_Border, p.line);
  style.Colors[ImGuiCol_BorderShadow] = ImVec4(0, 0, 0, 0);
  set(ImGuiCol_ScrollbarBg, p.background);
  set(ImGuiCol_ScrollbarGrab, p.line);
  set(ImGuiCol_ScrollbarGrabHovered, p.dim);
  set(ImGuiCol_ScrollbarGrabActive, p.dim);
  set(ImGuiCol_CheckMark, p.accent);
  set(ImGuiCol_SliderGrab, p.accent);
  set(ImGuiCol_SliderGrabActive, p.accent);
  for (const ImGuiCol_ slot : {ImGuiCol_ButtonHovered, ImGuiCol_FrameBgHovered, ImGuiCol_HeaderHovered,
                               ImGuiCol_ButtonActive, ImGuiCol_FrameBgActive, ImGuiCol_HeaderActive})
    set(slot, p.line);
  set(ImGuiCol_Separator, p.line);
  set(ImGuiCol_TextSelectedBg, fade(p.accent, 0.5f));
  set(ImGuiCol_NavHighlight, p.accent);
  style.Colors[ImGuiCol_ModalWindowDimBg] = ImVec4(0, 0, 0, 0.4f);
}

float luminance(ImU32 colour) {
  const auto linear = [](float c) {
    return c <= 0.04045f ? c / 12.92f : std::pow((c + 0.055f) / 1.055f, 2.4f);
  };
  const ImVec4 c = vec(colour);
  return 0.2126f * linear(c.x) + 0.7152f * linear(c.y) + 0.0722f * linear(c.z);
}

}  // namespace

const Palette& palette_of(Mode mode) { return mode == Mode::kDark ? kDark : kLight; }

Look& look() {
  RINGSIDE_CHECK(current != nullptr, "look() before set_look()");
  return *current;
}
void set_look(Look* look) { current = look; }

void apply_style() {
  ImGuiStyle style;
  style.WindowPadding = style.FramePadding = ImVec2(8, 4);
  style.ItemSpacing = ImVec2(8, 8);
  style.ItemInnerSpacing = ImVec2(4, 4);
  style.CellPadding = ImVec2(8, 4);
  style.WindowRounding = 0;
  style.FrameRounding = style.GrabRounding = style.PopupRounding = 3;
  style.ScrollbarRounding = 3;
  style.ScrollbarSize = 12;
  style.GrabMinSize = 10;
  style.WindowBorderSize = style.ChildBorderSize = 0;
  style.AntiAliasedLinesUseTex = false;
  style.ScaleAllSizes(look().scale);
  set_colours(style, colours());
  ImGui::GetStyle() = style;
}

std::string_view letter_of(Category category) {
  constexpr std::string_view kLetters[] = {"P", "G", "O", "A", "B", "·"};
  return kLetters[size_t(category)];
}

std::string_view code_of(Op op) {
  constexpr std::string_view kCodes[] = {"AR", "RS", "AG", "BC", "A2A", "S", "R", "BAR"};
  return kCodes[size_t(op)];
}

ImU32 colour_of_tag(std::string_view tag) {
  if (tag == "gradients" || tag == "norm") return colours().gradients;
  if (tag == "parameters" || tag == "initial" || tag == "export") return colours().parameters;
  if (tag == "optimizer") return colours().optimizer;
  if (tag == "activations") return colours().activations;
  return colours().other;
}

ImU32 text_on(ImU32 fill) {
  const float l = luminance(fill);
  return 1.05f / (l + 0.05f) > (l + 0.05f) / 0.05f ? rgb(0xFFFFFF) : rgb(0x000000);
}

ImU32 mix(ImU32 a, ImU32 b, float amount) {
  const ImVec4 from = vec(a), to = vec(b);
  const auto part = [&](float x, float y) { return x + (y - x) * amount; };
  return ImGui::ColorConvertFloat4ToU32(
      ImVec4(part(from.x, to.x), part(from.y, to.y), part(from.z, to.z), 1));
}

// In whole numbers: a timeline asks for some ten thousand a second.
ImU32 fade(ImU32 colour, float amount) {
  const ImU32 to = colours().background;
  const int part = int(std::lround(std::clamp(amount, 0.0f, 1.0f) * 256));
  const auto mix = [&](int shift) {
    const int a = int(colour >> shift & 0xFF), b = int(to >> shift & 0xFF);
    return static_cast<ImU32>(a + ((b - a) * part + 128) / 256) << shift;
  };
  return mix(IM_COL32_R_SHIFT) | mix(IM_COL32_G_SHIFT) | mix(IM_COL32_B_SHIFT) | IM_COL32_A_MASK;
}

VerdictMark mark_of(Verdict verdict) {
  switch (verdict) {
    case Verdict::kHolds: return {"✓", "holds", colours().text};
    case Verdict::kFails: return {"✗", "fails", colours().alarm};
    case Verdict::kPartly: return {"◐", "partly", colours().text};
    case Verdict::kNotTestable: break;
  }
  return {"—", "not testable", colours().dim};
}

}  // namespace ringside::ui
