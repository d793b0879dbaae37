// A document drawn from the top to the bottom, in the window's draw list: blocks
// in markdown_page.cpp, tables in markdown_table.cpp, words in markdown_words.cpp.
#pragma once

#include <imgui.h>

#include <string>
#include <string_view>
#include <vector>

#include "markdown_flow.h"
#include "ringside/widgets/draw.h"
#include "ringside/widgets/markdown.h"

namespace ringside::ui {

class Page {
 public:
  Page(const MarkdownDocument& document, std::string_view id)
      : document_(document), id_(id), list_(*ImGui::GetWindowDrawList()) {}

  // The block with its upper left corner at the place; how high it is.
  float block(const MarkdownBlock& block, ImVec2 at, float width, ImU32 colour);
  static float gap_before(const MarkdownBlock& block) {
    return px(block.kind == MarkdownBlock::Kind::kHeading ? 20 : kGap);
  }

  Markdown::Clicked clicked;

 private:
  using Align = MarkdownBlock::Align;

  float blocks(const std::vector<MarkdownBlock>& all, ImVec2 at, float width, ImU32 colour);
  float heading(const MarkdownBlock& block, ImVec2 at, float width);
  float quote(const MarkdownBlock& block, ImVec2 at, float width);
  float list(const MarkdownBlock& block, ImVec2 at, float width, ImU32 colour);
  float code(const MarkdownBlock& block, ImVec2 at, float width);

  float table(const MarkdownBlock& block, ImVec2 at, float width);
  float row(const MarkdownBlock& row, ImVec2 at, const std::vector<float>& widths);
  float stacked(const MarkdownBlock& table, ImVec2 at, float width);
  std::vector<float> column_widths(const MarkdownBlock& table, float width) const;

  float words(const std::vector<TextRun>& runs, ImVec2 at, float width, Type type, ImU32 colour);
  void paint(const Flow& flow, ImVec2 at, float width, Type type, ImU32 colour, Align align);
  void paint(const Line& line, ImVec2 at, Type type, ImU32 colour);
  void stretch(const Piece& first, const Piece& last, const Rect& rect, Type type, ImU32 colour);
  bool item(const Rect& rect);
  bool link(const TextRun& run, const Rect& rect);
  void run_button(const Piece& piece, const Rect& line);
  void copy(const std::string& text);
  bool visible(float y, float height) const;

  const MarkdownDocument& document_;
  std::string id_;
  ImDrawList& list_;
  int items_ = 0, links_ = 0, runs_ = 0, copies_ = 0, last_link_ = -1, list_depth_ = 0;
  float first_line_ = 0;  // its height, of the words drawn since it was set to 0
};

}  // namespace ringside::ui
