// Short ways to declare a lesson's parameters.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "ringside/lesson/config.h"

namespace ringside::inline kit {

inline ParameterSpec choice(std::string name, std::string meaning, std::string value,
                            std::vector<std::string> choices) {
  return {std::move(name),   std::move(meaning), "", ParameterKind::kChoice, std::move(value), 0, 0,
          std::move(choices)};
}

inline ParameterSpec number(std::string name, std::string meaning, std::string unit, std::string value,
                            double minimum, double maximum, ParameterKind kind = ParameterKind::kInteger) {
  return {std::move(name), std::move(meaning), std::move(unit), kind, std::move(value), minimum, maximum};
}

// Free text; `suggested` is what a front end offers.
inline ParameterSpec text(std::string name, std::string meaning, std::string value,
                          std::vector<std::string> suggested,
                          void (*validate)(const std::string&) = nullptr) {
  ParameterSpec spec{std::move(name), std::move(meaning), "", ParameterKind::kText, std::move(value)};
  spec.choices = std::move(suggested);
  spec.validate = validate;
  return spec;
}

}  // namespace ringside::inline kit
