// Words in lines: where a paragraph breaks, across changes of its type.
#pragma once

#include <imgui.h>

#include <string>
#include <string_view>
#include <vector>

#include "markdown_document.h"
#include "ringside/widgets/fonts.h"

namespace ringside::ui {

// What is never broken: a word, a Chinese character, a button.
struct Piece {
  std::string_view text;
  std::string label;  // of a button; text is empty
  const TextRun* run = nullptr;
  Type type = Type::kBody;
  float x = 0, width = 0;
  bool space = false;  // a blank before it, unless it begins a line
  bool glued = false;  // not parted from the one before
  bool ends_line = false;
};
struct Line {
  std::vector<Piece> pieces;
  float width = 0, height = 0;
};
struct Flow {
  std::vector<Line> lines;
  float height = 0;
};

// `type` is that of plain words. The runs must outlive the pieces.
std::vector<Piece> pieces_of(const std::vector<TextRun>& runs, const std::vector<std::string>& links,
                             Type type);
float natural_width(const std::vector<Piece>& pieces);  // in one line
float widest_word(const std::vector<Piece>& pieces);
Flow flow(const std::vector<Piece>& pieces, float width, Type type);
float line_advance(Type type);  // from line to line
// The part of `text` that fits, at least one letter.
std::string_view fitting(std::string_view text, float width, Type type);
bool has_all_glyphs(Type type, std::string_view text);

}  // namespace ringside::ui
