#include "markdown_page.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "ringside/widgets/draw.h"
#include "ringside/widgets/items.h"

namespace ringside::ui {
namespace {

using Block = MarkdownBlock;
using Kind = Block::Kind;

constexpr float kMeasure = 68;  // characters a line, at most
float measure(float width) { return std::min(width, kMeasure * text_width(Type::kBody, "n")); }

// Long lines go on below: nothing to scroll, nothing cut.
std::vector<std::string_view> code_lines(std::string_view code, float room) {
  std::vector<std::string_view> lines;
  while (!code.empty()) {
    std::string_view line = code.substr(0, code.find('\n'));
    code.remove_prefix(std::min(line.size() + 1, code.size()));
    do {
      lines.push_back(fitting(line, room, Type::kMono));
      line.remove_prefix(lines.back().size());
    } while (!line.empty());
  }
  return lines;
}

}  // namespace

// The block with its upper left corner at the place; how high it is.
float Page::block(const Block& block, ImVec2 at, float width, ImU32 colour) {
  switch (block.kind) {
    case Kind::kHeading: return heading(block, at, width);
    case Kind::kCode: return code(block, at, width);
    case Kind::kList: return list(block, at, width, colour);
    case Kind::kQuote: return quote(block, at, width);
    case Kind::kRule:
      list_.AddLine({at.x, at.y + px(4)}, {at.x + measure(width), at.y + px(4)}, colours().line);
      return px(kGap);
    case Kind::kTable: return table(block, at, width);
    default: break;
  }
  if (!block.children.empty()) return blocks(block.children, at, width, colour);
  return words(block.runs, at, measure(width), Type::kBody, colour);
}

float Page::blocks(const std::vector<Block>& all, ImVec2 at, float width, ImU32 colour) {
  float y = at.y;
  for (size_t i = 0; i < all.size(); ++i) {
    if (i > 0) y += gap_before(all[i]);
    y += block(all[i], {at.x, y}, width, colour);
  }
  return y - at.y;
}

float Page::heading(const Block& block, ImVec2 at, float width) {
  std::string text;
  for (const TextRun& run : block.runs) text += run.text;
  const bool large = block.level == 1 && has_all_glyphs(Type::kQuestion, text);
  return words(block.runs, at, measure(width), large ? Type::kQuestion : Type::kBold,
               block.level > 2 ? colours().dim : colours().text);
}

float Page::quote(const Block& block, ImVec2 at, float width) {
  const float indent = px(16);
  const float height = blocks(block.children, {at.x + indent, at.y}, width - indent, colours().dim);
  list_.AddRectFilled(at, {at.x + px(3), at.y + height}, colours().line);
  return height;
}

float Page::list(const Block& block, ImVec2 at, float width, ImU32 colour) {
  const std::string last = std::to_string(block.level + int(block.children.size())) + ".";
  const float indent = block.ordered ? std::max(px(24), text_width(Type::kBody, last) + px(8)) : px(20);
  float y = at.y;
  ++list_depth_;
  for (size_t i = 0; i < block.children.size(); ++i) {
    if (i > 0) y += px(4);
    const std::string mark = block.ordered      ? std::to_string(block.level + int(i)) + "."
                             : list_depth_ == 1 ? "•"
                                                : "◦";
    const float shift = block.ordered ? indent - px(6) - text_width(Type::kBody, mark) : px(6);
    const float outer = std::exchange(first_line_, 0.0f);
    const float height = blocks(block.children[i].children, {at.x + indent, y}, width - indent, colour);
    const float line = first_line_ > 0 ? first_line_ : line_advance(Type::kBody);
    first_line_ = outer > 0 ? outer : line;
    draw_text(list_, {at.x + shift, y + (line - line_height(Type::kBody)) / 2}, colours().dim, mark,
              Type::kBody);
    y += std::max(height, line);
  }
  --list_depth_;
  return y - at.y;
}

float Page::code(const Block& block, ImVec2 at, float width) {
  const float inside = px(kGap), advance = std::ceil(line_height(Type::kMono) * 1.25f);
  const std::string name = id_ + ".copy." + std::to_string(copies_++);
  const float button_width = text_width("copy") + 2 * ImGui::GetStyle().FramePadding.x;
  const float button_height = line_height() + 2 * ImGui::GetStyle().FramePadding.y;
  const bool beside = width >= px(320);  // else above
  const float room = width - 2 * inside - (beside ? button_width : 0);
  const std::vector<std::string_view> lines = code_lines(block.code, room);
  const float top = at.y + (beside ? inside / 2 : button_height + px(4));
  const float text_height = advance * float(lines.size()) + inside;
  const float height = std::max(top - at.y + text_height, button_height + px(8));
  list_.AddRectFilled(at, {at.x + width, at.y + height}, colours().panel, px(3));
  list_.AddRect(at, {at.x + width, at.y + height}, colours().line, px(3));
  float y = top + inside / 2;
  for (const std::string_view line : lines) {
    if (visible(y, advance)) draw_text(list_, {at.x + inside, y}, colours().text, line, Type::kMono);
    y += advance;
  }
  const FontScope scope(Type::kLabel);
  ImGui::SetCursorScreenPos({at.x + width - button_width - px(4), at.y + px(4)});
  ImGui::PushID(copies_);
  if (button("copy", name)) copy(block.code);
  ImGui::PopID();
  return height;
}

}  // namespace ringside::ui
