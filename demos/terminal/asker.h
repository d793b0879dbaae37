// Questions in a terminal or a pipe: a page of lines, a card with its options, a line that answers.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cards.h"
#include "line_reader.h"
#include "page.h"

namespace ringside {

class Asker : public Page {
 public:
  using Page::Page;

  void question(const std::vector<std::string>& lines);  // of question_lines()
  void options(const AskedCard& asked);                  // by their letters, lines by their numbers
  // Without blanks around it. Nothing: Ctrl-C, the end of the input, or q.
  std::optional<std::string> read(const std::string& prompt);
  bool interrupted() const { return lines_.interrupted(); }

 private:
  LineReader lines_;
};

}  // namespace ringside
