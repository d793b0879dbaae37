// A text in Markdown as a tree, the way it is drawn.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

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

}  // namespace ringside::ui
