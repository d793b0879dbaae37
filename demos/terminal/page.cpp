#include "page.h"

#include <sstream>

#include "ringside/base/text.h"
#include "ringside/figures/text.h"
#include "terminal.h"

namespace ringside {

Page::Page(const Options& options, std::ostream& out)
    : out_(out), width_(size_t(page_width(options))), colour_(wants_color(options)) {}

void Page::line(const std::string& text, size_t indent, size_t later) {
  const size_t behind = later == 0 ? indent : later;
  out_ << std::string(indent, ' ') << wrap(text, width_, behind) << '\n';
}

void Page::item(const std::string& label, const std::string& text) {
  out_ << "  " << label << ' ' << wrap(text, width_, columns(label) + 3) << '\n';
}

void Page::bold(const std::string& text) { out_ << figure::bold(text, colour_) << '\n'; }

void Page::listing(const std::string& text) {
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) out_ << "    " << line << '\n';
}

}  // namespace ringside
