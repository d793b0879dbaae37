// Questions in a terminal or a pipe: a page of lines, a card with its options, a line that answers.
#pragma once

#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include "cards.h"
#include "line_reader.h"
#include "options.h"

namespace ringside {

class Asker {
 public:
  Asker(const Options& options, std::ostream& out);

  void line(const std::string& text, size_t indent = 2);
  void raw(const std::string& text) { out_ << text << '\n'; }
  void bold(const std::string& text);
  void blank() { out_ << '\n'; }
  void question(const std::vector<std::string>& lines);  // of question_lines()
  void options(const AskedCard& asked);                  // by their letters, lines by their numbers
  // Without blanks around it. Nothing: Ctrl-C, the end of the input, or q.
  std::optional<std::string> read(const std::string& prompt);
  bool interrupted() const { return lines_.interrupted(); }

 private:
  std::ostream& out_;
  const size_t width_;
  const bool colour_;
  LineReader lines_;
};

}  // namespace ringside
