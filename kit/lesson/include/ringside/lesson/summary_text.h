// What the summaries of lessons have in common: labelled paragraphs, colour where it is wanted, and the
// claims with their verdicts.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "ringside/trace/trace.h"

namespace ringside {

class SummaryText {
 public:
  static constexpr size_t kIndent = 10;                 // of what follows "Claims", "Ledger", ...
  SummaryText(int width, bool colour, int least = 80);  // `least` to 100 columns are used

  size_t width() const { return width_; }
  const std::string& text() const { return text_; }

  void line(const std::string& content);                                // as it is, without blanks at its end
  void block(const std::string& lines) { text_ += lines; }              // as they are: a figure's text
  void labelled(const std::string& label, const std::string& content);  // wrapped behind its label
  void paragraph(const std::string& content, size_t indent);            // wrapped, all of it indented
  // "zero   What must every rank keep?                 4 threads, no GPU, 6 s"
  void title(const std::string& id, const std::string& title, const std::string& means);
  void claims(std::vector<ClaimRow> rows);                                   // what surprises comes first
  void next(const std::vector<std::pair<std::string, std::string>>& steps);  // a command and what it asks

  // With an ANSI code ("1", "31"), where colour is wanted.
  std::string paint(const char* code, const std::string& content) const;
  std::string bold(const std::string& content) const { return paint("1", content); }

 private:
  size_t width_;
  bool colour_;
  std::string text_;
};

}  // namespace ringside
