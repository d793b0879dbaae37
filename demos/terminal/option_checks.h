// What CLI11's own checks let pass.
#pragma once

#include <CLI/CLI.hpp>
#include <cmath>

namespace ringside {

// CLI::Range, in which not a number is not.
inline CLI::Validator number_in(double least, double most) {
  const CLI::Range range(least, most);
  return {[range](std::string& typed) {
            const bool is_nan = std::isnan(std::strtod(typed.c_str(), nullptr));
            return is_nan ? "Value " + typed + " is not a number" : range(typed);
          },
          range.get_description()};
}

// Of a file or folder.
inline CLI::Validator is_name() {
  return {[](std::string& typed) { return std::string(typed.empty() ? "a name is missing" : ""); }, ""};
}

}  // namespace ringside
