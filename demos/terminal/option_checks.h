// Options with a value, and what CLI11's own checks let pass.
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

// type: the word that stands for the value in the help.
inline CLI::Option* add_value(CLI::App& command, const std::string& name, auto& value,
                              const std::string& meaning, const std::string& type,
                              const CLI::Validator& allowed = {}) {
  return command.add_option(name, value, meaning)->type_name(type)->check(allowed);
}

}  // namespace ringside
