// Options with a value, and what CLI11's own checks let pass.
#pragma once

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cmath>
#include <optional>

#include "ringside/base/text.h"

namespace ringside {

// As a message says what is allowed: "allowed are 1 to 240".
inline std::string not_allowed(const std::string& typed, const std::string& least, const std::string& most) {
  return as_typed(typed) + ": allowed are " + least + " to " + most;
}

inline CLI::Validator number_in(double least, double most) {
  return {[=](std::string& typed) {
            const std::optional<double> value = read_number<double>(typed);
            if (!value || std::isnan(*value)) return as_typed(typed) + " is not a number";
            return *value >= least && *value <= most
                       ? std::string()
                       : not_allowed(typed, fmt::format("{:g}", least), fmt::format("{:g}", most));
          },
          fmt::format("{:g} to {:g}", least, most)};
}

// It takes "5e8" too and writes it out, so it is given to an option as a transform.
inline CLI::Validator whole_in(int64_t least, int64_t most) {
  return {[=](std::string& typed) {
            std::optional<int64_t> value = read_number<int64_t>(typed);
            const double real = read_number<double>(typed).value_or(NAN);
            if (!value && std::trunc(real) == real && std::abs(real) < 1e18) {
              value = int64_t(real);
              typed = std::to_string(*value);
            }
            if (!value) return as_typed(typed) + " is not a whole number";
            return *value >= least && *value <= most
                       ? std::string()
                       : not_allowed(typed, std::to_string(least), std::to_string(most));
          },
          fmt::format("{} to {}", least, most)};
}

// Of a file or folder.
inline CLI::Validator is_name() {
  return {[](std::string& typed) { return std::string(typed.empty() ? "a name is missing" : ""); }, ""};
}

// type: the word that stands for the value in the help.
inline CLI::Option* add_value(CLI::App& command, const std::string& name, auto& value,
                              const std::string& meaning, const std::string& type,
                              const CLI::Validator& allowed = {}) {
  return command.add_option(name, value, meaning)->type_name(type)->transform(allowed);
}

}  // namespace ringside
