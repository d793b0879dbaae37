#include "markdown_flow.h"

#include <algorithm>
#include <cmath>

#include "ringside/base/text.h"
#include "ringside/widgets/draw.h"

namespace ringside::ui {
namespace {

// , . and the like, 、。〉》」』】〕）！，．：；？ never begin a line.
bool closes(char32_t code) {
  constexpr char32_t kClosing[] = {'.',    ',',    ';',    ':',    '!',    '?',    ')',    0x3001,
                                   0x3002, 0x3009, 0x300B, 0x300D, 0x300F, 0x3011, 0x3015, 0xFF09,
                                   0xFF01, 0xFF0C, 0xFF0E, 0xFF1A, 0xFF1B, 0xFF1F};
  return std::ranges::find(kClosing, code) != std::end(kClosing);
}

Type type_of(const TextRun& run, Type plain) {
  if (run.code) return Type::kMono;
  // There is no italic face, and what is stressed must not look weaker: bold as well.
  return (run.bold || run.italic) && plain == Type::kBody ? Type::kBold : plain;
}

float blank(Type type) { return text_width(type, " "); }

class Cutter {
 public:
  Cutter(const std::vector<std::string>& links, Type plain) : links_(links), plain_(plain) {}

  void run(const TextRun& run) {
    if (run.ends_line) return end_line(run);
    if (run.link >= 0 && links_[size_t(run.link)].starts_with(kRunLink)) return button(run);
    std::string_view text = run.text;
    while (!text.empty()) {
      if (text[0] == ' ') {
        space_ = true;
        text.remove_prefix(1);
        continue;
      }
      const size_t size = word_size(text, run.code);
      const char32_t first = first_letter(text).code;
      const bool chinese = is_chinese(first);
      Piece piece{text.substr(0, size), {}, &run, type_of(run, plain_)};
      piece.width = text_width(piece.type, piece.text);
      piece.glued =
          !space_ && !pieces.empty() && !pieces.back().ends_line && ((!chinese && !parted_) || closes(first));
      add(std::move(piece));
      parted_ = chinese || (text[size - 1] == '-' && !run.code);
      text.remove_prefix(size);
    }
  }

  std::vector<Piece> pieces;

 private:
  static size_t word_size(std::string_view text, bool code) {
    const Letter first = first_letter(text);
    if (is_chinese(first.code)) return first.bytes;
    size_t size = first.bytes;
    while (size < text.size() && text[size] != ' ') {
      const Letter letter = first_letter(text.substr(size));
      if (is_chinese(letter.code)) break;
      const bool hyphen = size > 1 && text[size] == '-' && is_letter(text[size - 1]) &&
                          size + 1 < text.size() && is_letter(text[size + 1]);
      size += letter.bytes;
      if (hyphen && !code) return size;  // all-|reduce
    }
    return size;
  }
  static bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

  // One button a link, however many types its text has.
  void button(const TextRun& run) {
    if (!pieces.empty() && !pieces.back().label.empty() && pieces.back().run->link == run.link) {
      pieces.back().label += run.text;
    } else {
      Piece piece{{}, "▸ " + run.text, &run, Type::kBody};
      add(std::move(piece));
    }
    pieces.back().width = text_width(Type::kBody, pieces.back().label) + 2 * px(8);
    parted_ = true;
  }

  void end_line(const TextRun& run) {
    Piece piece{{}, {}, &run, plain_};
    piece.ends_line = true;
    add(std::move(piece));
  }

  void add(Piece piece) {
    piece.space = space_ && !pieces.empty();
    space_ = false;
    pieces.push_back(std::move(piece));
  }

  const std::vector<std::string>& links_;
  Type plain_;
  bool space_ = false;
  bool parted_ = false;  // the next piece may begin a line, also without a blank before it
};

// The line that is being filled.
class Setter {
 public:
  Setter(float width, Type type) : width_(width), type_(type) { open(); }

  void group(const Piece* first, const Piece* last) {
    float need = first->space ? blank(first->type) : 0;
    for (const Piece* p = first; p != last; ++p) need += p->width;
    if (x_ > 0 && x_ + need > width_) open();
    for (const Piece* p = first; p != last; ++p) {
      Piece piece = *p;  // a button too long for a line leaves room for the stop behind it
      if (!piece.label.empty() && need > width_)
        piece.width = std::clamp(width_ - (need - piece.width), width_ / 2, width_);
      place(std::move(piece));
    }
  }
  void open() {
    if (!flow_.lines.empty()) close();
    flow_.lines.emplace_back().height = line_advance(type_);
    x_ = 0;
  }
  Flow take() {
    if (flow_.lines.back().pieces.empty()) flow_.lines.pop_back();
    for (const Line& line : flow_.lines) flow_.height += line.height;
    return std::move(flow_);
  }

 private:
  void close() {
    if (flow_.lines.back().pieces.empty()) flow_.lines.back().width = 0;
  }
  void place(Piece piece) {
    if (x_ > 0 && piece.space) x_ += blank(piece.type);
    if (!piece.label.empty()) return push(std::move(piece));
    while (x_ + piece.width > width_ + 0.5f) {  // longer than a line: cut where it must be
      Piece part = piece;
      part.text = fitting(piece.text, width_ - x_, piece.type);
      part.width = text_width(part.type, part.text);
      if (x_ > 0 && x_ + part.width > width_) {
        open();
        continue;
      }
      if (part.text.size() == piece.text.size()) break;
      piece.text.remove_prefix(part.text.size());
      piece.width = text_width(piece.type, piece.text);
      push(std::move(part));
      open();
    }
    push(std::move(piece));
  }
  void push(Piece piece) {
    Line& line = flow_.lines.back();
    if (!piece.label.empty()) line.height = std::max(line.height, line_height(Type::kBody) + px(12));
    piece.x = x_;
    x_ += piece.width;
    line.width = x_;
    line.pieces.push_back(std::move(piece));
  }

  float width_, x_ = 0;
  Type type_;
  Flow flow_;
};

}  // namespace

std::vector<Piece> pieces_of(const std::vector<TextRun>& runs, const std::vector<std::string>& links,
                             Type type) {
  Cutter cutter(links, type);
  for (const TextRun& run : runs) cutter.run(run);
  return std::move(cutter.pieces);
}

float line_advance(Type type) { return std::ceil(line_height(type) * 1.3f); }

float natural_width(const std::vector<Piece>& pieces) {
  float widest = 0, x = 0;
  for (const Piece& piece : pieces) {
    x = piece.ends_line ? 0 : x + piece.width + (piece.space && x > 0 ? blank(piece.type) : 0);
    widest = std::max(widest, x);
  }
  return std::ceil(widest) + 1;
}

float widest_word(const std::vector<Piece>& pieces) {
  float widest = 0, x = 0;
  for (const Piece& piece : pieces) {
    x = piece.glued ? x + piece.width : piece.width;
    widest = std::max(widest, x);
  }
  return std::ceil(widest) + 1;
}

Flow flow(const std::vector<Piece>& pieces, float width, Type type) {
  Setter setter(std::max(width, 1.0f), type);
  for (size_t i = 0; i < pieces.size();) {
    if (pieces[i].ends_line) {
      setter.open();
      ++i;
      continue;
    }
    size_t end = i + 1;
    while (end < pieces.size() && pieces[end].glued) ++end;
    setter.group(&pieces[i], &pieces[i] + (end - i));
    i = end;
  }
  return setter.take();
}

std::string_view fitting(std::string_view text, float width, Type type) {
  if (text.empty()) return text;
  float x = 0;
  size_t size = 0;
  while (size < text.size()) {
    const size_t next = first_letter(text.substr(size)).bytes;
    x += text_width(type, text.substr(size, next));
    if (size > 0 && x > width) break;
    size += next;
  }
  return text.substr(0, size);
}

bool has_all_glyphs(Type type, std::string_view text) {
  while (!text.empty()) {
    const Letter letter = first_letter(text);
    const char32_t code = letter.code > 0xFFFF ? kReplacement : letter.code;  // ImWchar has 16 bits
    if (font(type)->FindGlyphNoFallback(static_cast<ImWchar>(code)) == nullptr) return false;
    text.remove_prefix(letter.bytes);
  }
  return true;
}

}  // namespace ringside::ui
