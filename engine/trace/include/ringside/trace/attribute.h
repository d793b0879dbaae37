// What a section says of itself: text, whole numbers, numbers, and yes or no, each as what it is.
#pragma once

#include <concepts>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include "ringside/base/field.h"

namespace ringside {

class Attribute {
 public:
  using Value = std::variant<std::string, int64_t, double, bool>;

  Attribute() = default;
  Attribute(std::string text) : value_(std::move(text)) {}
  Attribute(std::string_view text) : value_(std::string(text)) {}
  Attribute(const char* text) : value_(std::string(text)) {}
  Attribute(bool yes) : value_(yes) {}
  Attribute(double number) : value_(number) {}
  template <std::integral I>
  Attribute(I number) : value_(static_cast<int64_t>(number)) {}
  template <NamedEnum E>
  Attribute(E value) : value_(std::string(to_string(value))) {}

  const Value& value() const { return value_; }
  // In words: text as it is, "4", "0.25", "yes".
  std::string text() const;
  // None where it is something else. Files of version 1 hold text alone: "4" counts as the number, and
  // "yes" and "on", "no" and "off" as what they say.
  std::optional<double> number() const;
  std::optional<int64_t> integer() const;
  std::optional<bool> yes() const;

  bool operator==(const Attribute&) const = default;

 private:
  Value value_;
};

using Attributes = std::map<std::string, Attribute>;

}  // namespace ringside
