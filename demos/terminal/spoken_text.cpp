#include "spoken_text.h"

#include <sstream>

#include "ringside/base/text.h"
#include "ringside/lesson/lesson_text.h"

namespace ringside {
namespace {

class Writer {
 public:
  Writer(size_t width, size_t indent) : width_(width), indent_(indent) {}

  void line(const std::string& text) {
    const bool fence = text.starts_with("```");
    if (fence) in_code_ = !in_code_;
    if (fence || text.empty()) return end_block();
    if (in_code_ || text[0] == '|') return as_it_is(text);
    const bool item = text.starts_with("- ");
    if (item || text[0] == '#') end_paragraph();
    if (item) hanging_ = 2;
    paragraph_ += (paragraph_.empty() ? "" : " ") + text.substr(text[0] == '>' && text.size() > 2 ? 2 : 0);
    if (text[0] == '#') end_paragraph();
  }

  std::string finish() {
    end_paragraph();
    return std::move(text_);
  }

 private:
  void end_block() {
    end_paragraph();
    gap_ = !text_.empty();
  }
  void end_paragraph() {
    if (paragraph_.empty()) return;
    write(wrap(without_marks(paragraph_.substr(paragraph_.find_first_not_of("# "))), width_,
               indent_ + hanging_));
    paragraph_.clear();
    hanging_ = 0;
  }
  void as_it_is(const std::string& text) {
    end_paragraph();
    write(in_code_ ? "  " + text : without_marks(text));
  }
  void write(const std::string& lines) {
    if (gap_) text_ += '\n';
    gap_ = false;
    text_ += std::string(indent_, ' ') + lines + '\n';
  }

  size_t width_, indent_, hanging_ = 0;
  bool in_code_ = false, gap_ = false;
  std::string paragraph_, text_;
};

}  // namespace

std::string spoken_text(std::string_view markdown, size_t width, size_t indent) {
  Writer writer(width, indent);
  std::istringstream lines{std::string(markdown)};
  for (std::string line; std::getline(lines, line);) writer.line(line);
  return writer.finish();
}

}  // namespace ringside
