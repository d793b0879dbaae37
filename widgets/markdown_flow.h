// A text in Markdown as a tree, the way it is drawn; and its words in lines: where a paragraph breaks, across
// changes of its type.
#pragma once

#include <imgui.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "ringside/widgets/fonts.h"

namespace ringside::ui {

struct TextRun {
  std::string text;  // blanks collapsed
  bool bold = false, italic = false, code = false;
  bool ends_line = false;  // a break that the author asked for; no text
  int link = -1;           // index into the document's links
  bool same_style(const TextRun& other) const {
    return bold == other.bold && italic == other.italic && code == other.code && link == other.link;
  }
};

struct MarkdownBlock {
  enum class Kind : uint8_t {
    kRoot,
    kHeading,
    kParagraph,
    kCode,
    kList,
    kItem,
    kQuote,
    kRule,
    kTable,
    kRow,
    kCell
  };
  enum class Align : uint8_t { kLeft, kCentre, kRight };
  Kind kind = Kind::kParagraph;
  int level = 0;               // of a heading; the number of a list's first item
  bool ordered = false;        // a list
  bool head = false;           // a cell
  bool clickable = false;      // it, or something below
  Align align = Align::kLeft;  // a cell
  std::string code;            // of kCode, with its line ends
  std::vector<TextRun> runs;   // of headings, paragraphs and cells
  std::vector<MarkdownBlock> children;
};

struct MarkdownDocument {
  MarkdownBlock root;
  std::vector<std::string> links;  // targets
  // How high each child of the root was last drawn, at one width and scale: what is scrolled out of sight is
  // not laid out again.
  mutable std::vector<float> heights;
  mutable float heights_width = -1, heights_scale = -1;
};

inline constexpr std::string_view kRunLink = "run:";

MarkdownDocument parse_markdown(std::string_view text);

// ---- Words in lines

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
