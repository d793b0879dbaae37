#include "ringside/widgets/draw.h"

#include <algorithm>
#include <cmath>

#include "ringside/base/text.h"
#include "ringside/widgets/items.h"

namespace ringside::ui {
namespace {

const char* begin(std::string_view text) { return text.data(); }
const char* end(std::string_view text) { return text.data() + text.size(); }

constexpr float kMeasure = 68;  // characters a line, at most

size_t without_last_letter(std::string_view text, size_t size) {
  do --size;
  while (size > 0 && continues_letter(text[size]));
  return size;
}

}  // namespace

float text_width(Type type, std::string_view text) {
  ImFont* f = font(type);
  return f->CalcTextSizeA(f->FontSize, FLT_MAX, 0, begin(text), end(text)).x;
}

void draw_text(ImDrawList& list, ImVec2 at, ImU32 colour, std::string_view text, Type type) {
  ImFont* f = font(type);
  list.AddText(f, f->FontSize, {std::floor(at.x), std::floor(at.y)}, colour, begin(text), end(text));
}

std::string elide(std::string_view text, float width, Type type) {
  if (text_width(type, text) <= width) return std::string(text);
  size_t size = text.size();
  while (size > 0) {
    size = without_last_letter(text, size);
    std::string shorter = std::string(text.substr(0, size)) + "…";
    if (size > 0 && text_width(type, shorter) <= width) return shorter;
  }
  return "";
}

void draw_text_in(ImDrawList& list, const Rect& rect, ImU32 colour, std::string_view text, Type type,
                  bool centred) {
  const float height = line_height(type);
  if (rect.height() < height - px(2)) return;
  const std::string fitting = elide(text, rect.width(), type);
  if (fitting.empty()) return;
  const float x = centred ? rect.min.x + (rect.width() - text_width(type, fitting)) / 2 : rect.min.x;
  draw_text(list, {x, rect.min.y + (rect.height() - height) / 2}, colour, fitting, type);
}

void dashed_line(ImDrawList& list, ImVec2 from, ImVec2 to, ImU32 colour, float thickness) {
  const float length = std::hypot(to.x - from.x, to.y - from.y), dash = px(5), period = px(9);
  if (length <= 0 || !std::isfinite(length)) return;
  const ImVec2 unit((to.x - from.x) / length, (to.y - from.y) / length);
  for (float s = 0; s < length; s += period) {
    const float e = std::min(s + dash, length);
    list.AddLine({from.x + unit.x * s, from.y + unit.y * s}, {from.x + unit.x * e, from.y + unit.y * e},
                 colour, thickness * look().scale);
  }
}

void dashed_rect(ImDrawList& list, const Rect& r, ImU32 colour, float thickness) {
  dashed_line(list, r.min, {r.max.x, r.min.y}, colour, thickness);
  dashed_line(list, {r.max.x, r.min.y}, r.max, colour, thickness);
  dashed_line(list, r.max, {r.min.x, r.max.y}, colour, thickness);
  dashed_line(list, {r.min.x, r.max.y}, r.min, colour, thickness);
}

void arrow(ImDrawList& list, ImVec2 from, ImVec2 to, ImU32 colour, float thickness) {
  const float length = std::hypot(to.x - from.x, to.y - from.y), head = std::min(px(7), length);
  if (length <= 0) return;
  const ImVec2 unit((to.x - from.x) / length, (to.y - from.y) / length);
  const ImVec2 neck(to.x - unit.x * head, to.y - unit.y * head);
  list.AddLine(from, neck, colour, thickness * look().scale);
  list.AddTriangleFilled(to, {neck.x - unit.y * head / 2, neck.y + unit.x * head / 2},
                         {neck.x + unit.y * head / 2, neck.y - unit.x * head / 2}, colour);
}

void hatch(ImDrawList& list, const Rect& r, ImU32 colour, float step) {
  step = std::max(step, 2.0f);
  for (float d = step / 2; d < r.width() + r.height(); d += step) {
    const ImVec2 low(r.min.x + std::max(0.0f, d - r.height()), r.min.y + std::min(d, r.height()));
    const ImVec2 high(r.min.x + std::min(d, r.width()), r.min.y + std::max(0.0f, d - r.width()));
    list.AddLine(low, high, colour, 1);
  }
}

namespace {

// A number and its unit stay in one line: the blank at `at` is none to break at.
bool joins_unit(std::string_view text, size_t at) {
  constexpr std::string_view kUnits[] = {"s",   "ms",  "us", "B",  "KiB", "MiB",
                                         "GiB", "TiB", "KB", "MB", "GB",  "%"};
  if (at == 0 || at >= text.size() || text[at] != ' ' || text[at - 1] < '0' || text[at - 1] > '9')
    return false;
  const std::string_view rest = text.substr(at + 1);
  const std::string_view word = rest.substr(0, rest.find_first_of(" \n.,;:)"));
  return std::ranges::find(kUnits, word) != std::end(kUnits);
}

}  // namespace

std::string broken(std::string_view text, float width, Type type) {
  std::string lines, line;
  const auto end_line = [&] {
    lines += line;
    line.clear();
  };
  for (size_t at = 0; at < text.size();) {
    size_t stop = std::min(text.find_first_of(" \n", at), text.size());
    if (joins_unit(text, stop)) stop = std::min(text.find_first_of(" \n", stop + 1), text.size());
    const std::string word(text.substr(at, stop - at));
    const std::string longer = line.empty() ? word : line + " " + word;
    if (!line.empty() && text_width(type, longer) > width) {
      end_line();
      lines += '\n';
      line = word;
    } else {
      line = longer;
    }
    if (stop < text.size() && text[stop] == '\n') {
      end_line();
      lines += '\n';
    }
    at = stop + 1;
  }
  end_line();
  return lines;
}

void paragraph(std::string_view text, Type type) { paragraph(text, colours().text, type); }

void paragraph(std::string_view text, ImU32 colour, Type type) {
  const FontScope scope(type);
  const float width = std::min(ImGui::GetContentRegionAvail().x, kMeasure * text_width(type, "n"));
  const ImVec2 at = ImGui::GetCursorScreenPos();
  ImGui::PushStyleColor(ImGuiCol_Text, colour);
  ImGui::PushTextWrapPos(ImGui::GetCursorPosX() + width + 1);  // for a word that is wider than a line
  const std::string lines = broken(text, width, type);
  ImGui::TextUnformatted(lines.data(), lines.data() + lines.size());
  ImGui::PopTextWrapPos();
  ImGui::PopStyleColor();
  look().terms.explain(lines, at, width + 1, type);
}

bool button(const char* label, std::string_view name, bool primary, bool enabled, std::string_view meaning,
            std::string_view key) {
  const bool outlined = primary && !enabled;
  if (outlined) {
    ImGui::PushStyleVar(ImGuiStyleVar_DisabledAlpha, 1.0f);
    ImGui::PushStyleVar(ImGuiStyleVar_FrameBorderSize, 1.0f);
    ImGui::PushStyleColor(ImGuiCol_Button, colours().panel);
    ImGui::PushStyleColor(ImGuiCol_Border, colours().dim);
    ImGui::PushStyleColor(ImGuiCol_Text, colours().dim);
  }
  ImGui::BeginDisabled(!enabled);
  if (primary && enabled) {
    ImGui::PushStyleColor(ImGuiCol_Button, colours().accent);
    ImGui::PushStyleColor(ImGuiCol_ButtonHovered, fade(colours().accent, 0.15f));
    ImGui::PushStyleColor(ImGuiCol_ButtonActive, fade(colours().accent, 0.3f));
    ImGui::PushStyleColor(ImGuiCol_Text, text_on(colours().accent));
  }
  const bool clicked = ImGui::Button(label);
  if (primary && enabled) ImGui::PopStyleColor(4);
  ImGui::EndDisabled();
  if (outlined) {
    ImGui::PopStyleColor(3);
    ImGui::PopStyleVar(2);
  }
  mark(name, enabled);
  tooltip(meaning, key);
  return clicked;
}

bool touch(std::string_view name, const Rect& rect) {
  ImGui::SetCursorScreenPos(rect.min);
  ImGui::PushID(begin(name), end(name));
  const bool clicked =
      ImGui::InvisibleButton("touch", {std::max(rect.width(), 1.0f), std::max(rect.height(), 1.0f)});
  ImGui::PopID();
  mark(name);
  return clicked;
}

void beside(float width, float gap) {
  const float end = ImGui::GetItemRectMax().x + px(gap) + width;
  if (end <= ImGui::GetWindowPos().x + ImGui::GetContentRegionMax().x) ImGui::SameLine(0, px(gap));
}

void focus_next_item() {
  ImGui::SetWindowFocus();  // ImGui 1.90 looks for the item only in the window that has the focus already
  ImGui::SetKeyboardFocusHere();
}

}  // namespace ringside::ui
