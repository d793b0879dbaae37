// Lines of text for a person: wrapped to the page's width, bold where colour is wanted.
#pragma once

#include <ostream>
#include <string>

#include "options.h"

namespace ringside {

class Page {
 public:
  Page(const Options& options, std::ostream& out);

  // Behind `indent` blanks; what is wrapped behind `later`, 0: as many.
  void line(const std::string& text, size_t indent = 2, size_t later = 0);
  void item(const std::string& label, const std::string& text);  // wrapped behind the label
  void bold(const std::string& text);
  void raw(const std::string& text) { out_ << text << '\n'; }
  void blank() { out_ << '\n'; }
  void listing(const std::string& text);  // its lines as they are, behind four blanks
  size_t width() const { return width_; }
  std::ostream& out() { return out_; }

 private:
  std::ostream& out_;
  const size_t width_;
  const bool colour_;
};

}  // namespace ringside
