#include "markdown_flow.h"

#include <md4c.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

#include "ringside/base/error.h"
#include "ringside/base/text.h"
#include "ringside/base/units.h"
#include "ringside/widgets/markdown.h"

namespace ringside::ui {
namespace {

constexpr size_t kLargest = size_t{1} << 20;
constexpr int kDeepest = 32;

using Block = MarkdownBlock;
using Kind = Block::Kind;

// "&lt;", "&#x41;"; one that is not known stays as it was written.
std::string entity(std::string_view text) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 8> kNames = {{{"&lt;", "<"},
                                                                                    {"&gt;", ">"},
                                                                                    {"&amp;", "&"},
                                                                                    {"&quot;", "\""},
                                                                                    {"&nbsp;", " "},
                                                                                    {"&times;", "×"},
                                                                                    {"&mdash;", "—"},
                                                                                    {"&rarr;", "→"}}};
  for (const auto& [name, letter] : kNames)
    if (text == name) return std::string(letter);
  if (!text.starts_with("&#") || !text.ends_with(";")) return std::string(text);
  const bool hex = text.size() > 3 && (text[2] == 'x' || text[2] == 'X');
  unsigned code = 0;
  const char *first = text.data() + (hex ? 3 : 2), *last = text.data() + text.size() - 1;
  const auto [end, error] = std::from_chars(first, last, code, hex ? 16 : 10);
  return error == std::errc() && end == last ? to_utf8(code) : std::string(text);
}

// md4c calls back while it reads; an exception must not pass through it, so a refusal is kept.
class Reader {
 public:
  MarkdownDocument read(std::string_view text) {
    stack_.push_back({});
    stack_.back().kind = Kind::kRoot;
    MD_PARSER parser{};
    parser.flags = MD_FLAG_TABLES | MD_FLAG_NOHTML | MD_FLAG_COLLAPSEWHITESPACE;
    parser.enter_block = [](MD_BLOCKTYPE t, void* d, void* self) {
      return static_cast<Reader*>(self)->enter(t, d);
    };
    parser.leave_block = [](MD_BLOCKTYPE t, void*, void* self) {
      return static_cast<Reader*>(self)->leave(t);
    };
    parser.enter_span = [](MD_SPANTYPE t, void* d, void* self) {
      return static_cast<Reader*>(self)->span(t, d, 1);
    };
    parser.leave_span = [](MD_SPANTYPE t, void* d, void* self) {
      return static_cast<Reader*>(self)->span(t, d, -1);
    };
    parser.text = [](MD_TEXTTYPE t, const MD_CHAR* piece, MD_SIZE size, void* self) {
      return static_cast<Reader*>(self)->text(t, {piece, size});
    };
    const int result = md_parse(text.data(), static_cast<MD_SIZE>(text.size()), &parser, this);
    if (too_deep_) throw InputError("a text nests lists and quotes deeper than 32: make it flatter");
    if (result != 0) throw InputError("a text could not be read as Markdown");
    document_.root = std::move(stack_.front());
    return std::move(document_);
  }

 private:
  int enter(MD_BLOCKTYPE type, void* detail) {
    if (type == MD_BLOCK_DOC || type == MD_BLOCK_THEAD || type == MD_BLOCK_TBODY) return 0;
    const bool container = type == MD_BLOCK_UL || type == MD_BLOCK_OL || type == MD_BLOCK_QUOTE;
    if (container && ++depth_ > kDeepest) return too_deep_ = true, 1;
    Block block;
    block.kind = kind_of(type);
    if (type == MD_BLOCK_H) block.level = int(static_cast<MD_BLOCK_H_DETAIL*>(detail)->level);
    if (type == MD_BLOCK_OL) {
      block.ordered = true;
      block.level = int(static_cast<MD_BLOCK_OL_DETAIL*>(detail)->start);
    }
    if (block.kind == Kind::kCell) {
      const MD_ALIGN align = static_cast<MD_BLOCK_TD_DETAIL*>(detail)->align;
      block.head = type == MD_BLOCK_TH;
      block.align = align == MD_ALIGN_RIGHT    ? Block::Align::kRight
                    : align == MD_ALIGN_CENTER ? Block::Align::kCentre
                                               : Block::Align::kLeft;
    }
    stack_.push_back(std::move(block));
    return 0;
  }

  int leave(MD_BLOCKTYPE type) {
    if (type == MD_BLOCK_DOC || type == MD_BLOCK_THEAD || type == MD_BLOCK_TBODY) return 0;
    if (type == MD_BLOCK_UL || type == MD_BLOCK_OL || type == MD_BLOCK_QUOTE) --depth_;
    Block block = std::move(stack_.back());
    stack_.pop_back();
    finish(block);
    stack_.back().children.push_back(std::move(block));
    return 0;
  }

  static Kind kind_of(MD_BLOCKTYPE type) {
    constexpr std::pair<MD_BLOCKTYPE, Kind> kKinds[] = {
        {MD_BLOCK_QUOTE, Kind::kQuote}, {MD_BLOCK_UL, Kind::kList},     {MD_BLOCK_OL, Kind::kList},
        {MD_BLOCK_LI, Kind::kItem},     {MD_BLOCK_HR, Kind::kRule},     {MD_BLOCK_H, Kind::kHeading},
        {MD_BLOCK_CODE, Kind::kCode},   {MD_BLOCK_TABLE, Kind::kTable}, {MD_BLOCK_TR, Kind::kRow},
        {MD_BLOCK_TH, Kind::kCell},     {MD_BLOCK_TD, Kind::kCell}};
    for (const auto& [block, kind] : kKinds)
      if (block == type) return kind;
    return Kind::kParagraph;
  }

  int span(MD_SPANTYPE type, void* detail, int by) {
    if (type == MD_SPAN_STRONG) bold_ += by;
    if (type == MD_SPAN_EM || type == MD_SPAN_IMG) italic_ += by;  // of a picture, its description
    if (type == MD_SPAN_CODE) code_ += by;
    if (type != MD_SPAN_A) return 0;
    link_ = -1;
    if (by < 0) return 0;
    const MD_ATTRIBUTE& target = static_cast<MD_SPAN_A_DETAIL*>(detail)->href;
    link_ = add_link({target.text, target.size});
    return 0;
  }

  int add_link(std::string_view target) {
    document_.links.emplace_back(target);
    return int(document_.links.size()) - 1;
  }

  int text(MD_TEXTTYPE type, std::string_view text) {
    Block& block = stack_.back();
    if (block.kind == Kind::kCode) return block.code += text, 0;
    TextRun run{std::string(text), bold_ > 0, italic_ > 0, code_ > 0, false, link_};
    if (type == MD_TEXT_NULLCHAR) run.text = "\xEF\xBF\xBD";
    if (type == MD_TEXT_ENTITY) run.text = entity(text);
    if (type == MD_TEXT_SOFTBR) run.text = " ";
    if (type == MD_TEXT_BR) run.text.clear(), run.ends_line = true;
    std::ranges::replace(run.text, '\n', ' ');
    std::ranges::replace(run.text, '\t', ' ');
    std::vector<TextRun>& runs = place_for_text(block).runs;
    const bool joins =
        !runs.empty() && !run.ends_line && !runs.back().ends_line && runs.back().same_style(run);
    if (joins)
      runs.back().text += run.text;
    else
      runs.push_back(std::move(run));
    return 0;
  }

  // In a list without blank lines the text of an item stands in no paragraph.
  static Block& place_for_text(Block& block) {
    if (block.kind != Kind::kItem && block.kind != Kind::kQuote && block.kind != Kind::kRoot) return block;
    if (block.children.empty() || block.children.back().kind != Kind::kParagraph)
      block.children.push_back({});
    return block.children.back();
  }

  void finish(Block& block) {
    find_runs(block);
    for (Block& child : block.children) {
      if (block.kind == Kind::kItem) find_runs(child);
      block.clickable = block.clickable || child.clickable;
    }
  }

  // "[label](run:zero stage=3)": Markdown itself knows no blank in a target, a scenario has them.
  void find_runs(Block& block) {
    std::vector<TextRun> out;
    for (TextRun& run : block.runs) {
      std::string_view rest = run.text;
      while (!run.code && run.link < 0) {
        const size_t middle = rest.find("](run:");
        const size_t open = middle == rest.npos ? middle : rest.substr(0, middle).rfind('[');
        const size_t close = middle == rest.npos ? middle : rest.find(')', middle);
        if (open == rest.npos || close == rest.npos) break;
        TextRun part = run;
        part.text = rest.substr(0, open);
        if (!part.text.empty()) out.push_back(part);
        part.text = rest.substr(open + 1, middle - open - 1);
        part.link = add_link(rest.substr(middle + 2, close - middle - 2));
        out.push_back(part);
        rest.remove_prefix(close + 1);
      }
      if (rest.empty() && !run.ends_line) continue;
      run.text = std::string(rest);
      out.push_back(std::move(run));
    }
    block.runs = std::move(out);
    const auto linked = [](const TextRun& run) { return run.link >= 0; };
    block.clickable = block.kind == Kind::kCode || std::ranges::any_of(block.runs, linked);
  }

  MarkdownDocument document_;
  std::vector<Block> stack_;
  int depth_ = 0, bold_ = 0, italic_ = 0, code_ = 0, link_ = -1;
  bool too_deep_ = false;
};

}  // namespace

MarkdownDocument parse_markdown(std::string_view text) {
  if (text.size() > kLargest)
    throw InputError("a text of " + format_bytes(double(text.size())) + ": at most 1 MiB is shown");
  return Reader().read(text);
}

}  // namespace ringside::ui
