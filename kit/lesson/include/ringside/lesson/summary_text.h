// Lines of a page for a terminal: labelled paragraphs, small tables, claims with their verdicts. Colour adds
// nothing that is not said without it.
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "ringside/trace/trace.h"

namespace ringside::inline kit {

class SummaryText {
 public:
  static constexpr size_t kIndent = 10;  // of what follows "Claims", "Ledger", ...
  using Pairs = std::vector<std::pair<std::string, std::string>>;

  SummaryText(int width, bool colour);  // 40 to 100 columns are used

  size_t width() const { return width_; }
  size_t lines() const;
  const std::string& text() const { return text_; }

  void line(const std::string& content);                    // as it is, without blanks at its end
  void block(const std::string& lines) { text_ += lines; }  // as they are: a figure's text
  void block(const std::string& lines, size_t most);        // the first of them, and how many more
  void labelled(const std::string& label, const std::string& content);  // wrapped behind its label
  // Two columns behind a label. A first one that is wider than `most` stands on a line of its own.
  void pairs(const std::string& label, const Pairs& rows, size_t most);
  void next(const Pairs& steps);  // commands, and what each shows: beside it, or below it
  // What surprises comes first. Bounded, they take `most` lines, and the rest is counted.
  void claims(std::vector<ClaimRow> rows, size_t most, bool bounded);

  // With an ANSI code ("1", "31"), where colour is wanted.
  std::string paint(const char* code, const std::string& content) const;
  std::string bold(const std::string& content) const { return paint("1", content); }

 private:
  std::string claim(const ClaimRow& row, size_t marks, size_t most_of_evidence) const;

  size_t width_;
  bool colour_;
  std::string text_;
};

}  // namespace ringside::inline kit
