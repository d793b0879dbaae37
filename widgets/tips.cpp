// Tips of items: when one is shown, and where.
#include <algorithm>
#include <limits>
#include <optional>

#include "ringside/widgets/draw.h"
#include "ringside/widgets/items.h"

namespace ringside::ui {
namespace {

constexpr int kFramesOfChange = 2;  // so long a button may be away while it gets other words

// Of the one mouse that a program has.
struct Resting {
  Rect item{};
  double since = 0;
  int frame = -2;                      // the last one in which the mouse was over it
  std::optional<ImVec2> pressed = {};  // where the mouse was when a button went down
};
Resting resting;

bool is_same(const Rect& a, const Rect& b) {
  return a.min.x == b.min.x && a.min.y == b.min.y && a.max.x == b.max.x && a.max.y == b.max.y;
}

// The mouse is over that item in this frame. True once it has rested there for long enough. What comes to lie
// under a mouse that pressed and did not leave has no tip either: it is the same button, with other
// words.
bool rests_on(const Rect& item) {
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  const int frame = ImGui::GetFrameCount();
  if (!is_same(item, resting.item) || resting.frame < frame - 1) {
    const bool stayed = resting.frame >= frame - kFramesOfChange && resting.pressed &&
                        resting.pressed->x == mouse.x && resting.pressed->y == mouse.y;
    resting = {item, ImGui::GetTime(), frame, stayed ? resting.pressed : std::nullopt};
  }
  resting.frame = frame;
  if (ImGui::IsAnyMouseDown()) resting.pressed = mouse;
  return !resting.pressed && ImGui::GetTime() - resting.since >= kTipDelay;
}

struct Tip {
  std::string_view meaning, key;
  float most = 0;  // widest line
  ImVec2 words{}, keys{};

  bool both() const { return !meaning.empty() && !key.empty(); }
  float gap() const { return both() ? px(16) : 0; }
  // The key stands behind a meaning of one line, else below it.
  bool beside() const { return words.y <= line_height() + 1 && words.x + gap() + keys.x <= most; }
  ImVec2 size() const {
    return beside() ? ImVec2(words.x + gap() + keys.x, std::max(words.y, keys.y))
                    : ImVec2(std::max(words.x, keys.x), words.y + keys.y + px(2));
  }
};

Tip measured(std::string_view meaning, std::string_view key, float most) {
  const auto size_of = [&](std::string_view text) {
    return text.empty() ? ImVec2{} : ImGui::CalcTextSize(text.data(), text.data() + text.size(), false, most);
  };
  return {meaning, key, most, size_of(meaning), size_of(key)};
}

// Below the item, else above it; within the display.
ImVec2 place_of(const Rect& item, ImVec2 size) {
  const ImVec2 display = ImGui::GetIO().DisplaySize;
  const float below = item.max.y + px(4), above = item.min.y - size.y - px(4);
  const float x = std::min(item.min.x, display.x - size.x - px(2));
  return {std::max(x, px(2)), below + size.y <= display.y ? below : std::max(above, px(2))};
}

void draw_words(const Tip& tip, ImVec2 padding) {
  ImGui::PushTextWrapPos(padding.x + tip.most);
  if (!tip.meaning.empty())
    ImGui::TextUnformatted(tip.meaning.data(), tip.meaning.data() + tip.meaning.size());
  if (tip.both() && tip.beside()) ImGui::SameLine(0, tip.gap());
  if (tip.both() && !tip.beside()) ImGui::SetCursorPosY(padding.y + tip.words.y + px(2));
  ImGui::PushStyleColor(ImGuiCol_Text, colours().dim);
  if (!tip.key.empty()) ImGui::TextUnformatted(tip.key.data(), tip.key.data() + tip.key.size());
  ImGui::PopStyleColor();
  ImGui::PopTextWrapPos();
}

}  // namespace

double seconds_to_tip() {
  const bool waits = !resting.pressed && resting.frame >= ImGui::GetFrameCount() - 1;
  const double left = resting.since + kTipDelay - ImGui::GetTime();
  return waits && left > 0 ? left : std::numeric_limits<double>::infinity();
}

bool rests_on_item() {
  if (look().covered || !ImGui::IsItemHovered(ImGuiHoveredFlags_AllowWhenDisabled)) return false;
  return rests_on({ImGui::GetItemRectMin(), ImGui::GetItemRectMax()});
}

void begin_tip(const Rect& item, ImVec2 size) {
  const ImVec2 padding = ImGui::GetStyle().WindowPadding;
  const ImVec2 whole(size.x + 2 * padding.x, size.y + 2 * padding.y), at = place_of(item, whole);
  ImGui::SetNextWindowPos(at);
  ImGui::SetNextWindowSize(whole);
  ImGui::BeginTooltip();
  mark("tip", at, {at.x + whole.x, at.y + whole.y});
}
void end_tip() { ImGui::EndTooltip(); }

void tooltip(std::string_view meaning, std::string_view key) {
  if ((meaning.empty() && key.empty()) || !rests_on_item()) return;
  const Rect item{ImGui::GetItemRectMin(), ImGui::GetItemRectMax()};
  const FontScope scope(Type::kLabel);
  const ImVec2 padding = ImGui::GetStyle().WindowPadding;
  // Measured here: ImGui itself would place a tip by the size of the one before.
  const Tip tip =
      measured(meaning, key, std::min(px(360), ImGui::GetIO().DisplaySize.x - 2 * padding.x - px(8)));
  const ImVec2 text = tip.size(), whole(text.x + 2 * padding.x + 1, text.y + 2 * padding.y);
  const ImVec2 at = place_of(item, whole);
  ImGui::SetNextWindowPos(at);
  ImGui::SetNextWindowSize(whole);
  ImGui::BeginTooltip();
  draw_words(tip, padding);
  ImGui::EndTooltip();
  mark("tip", at, {at.x + whole.x, at.y + whole.y});
}

}  // namespace ringside::ui
