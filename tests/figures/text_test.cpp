#include <catch.h>

#include <fstream>
#include <iostream>
#include <sstream>
#include "ringside/figures/svg.h"

#include "ringside/base/text.h"
#include "ringside/figures/text.h"
#include "samples.h"

namespace ringside::figure {
namespace {

std::vector<std::string> lines_of(const std::string& text) {
  std::istringstream in(text);
  std::vector<std::string> lines;
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

}  // namespace

TEST_CASE("every kind, to be looked at", "[.show]") {
  for (const auto& [name, value] : samples::all())
    std::cout << "=== " << name << "\n"
              << to_text(value, 98, false) << "\n",
        std::ofstream("/tmp/fig/" + name + ".svg") << to_svg(name, "A sentence for this instant.", value);
}

TEST_CASE("a text keeps to its width, ends each line, and says the same with colour") {
  for (const auto& [name, value] : samples::all()) {
    for (const int width : {40, 60, 80, 98, 120}) {
      INFO(name << ", " << width);
      const std::string text = to_text(value, width, false);
      REQUIRE(text.ends_with('\n'));
      CHECK(text.find('\x1b') == std::string::npos);
      for (const std::string& line : lines_of(text)) {
        CHECK(columns(line) <= static_cast<size_t>(width));
        CHECK(!line.ends_with(' '));
      }
      std::string coloured = to_text(value, width, true), plain;
      for (size_t i = 0; i < coloured.size(); ++i) {
        if (coloured[i] == '\x1b')
          i = coloured.find('m', i);
        else
          plain += coloured[i];
      }
      for (size_t at; (at = plain.find(" \n")) != std::string::npos;) plain.erase(at, 1);
      CHECK(plain == text);
    }
  }
}

}  // namespace ringside::figure
