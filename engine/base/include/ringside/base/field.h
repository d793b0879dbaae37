// What a configuration says of one of its fields, beside its type and default. A struct that is configured
// has
//
//   void visit_fields(auto& config, auto&& visit) { visit(Field{"ranks", ...}, config.ranks); ... }
//
// from which attributes, JSON and a lesson's parameters follow. A field is a bool, an integer, a double, or
// an enum with texts(E), the text of each enumerator in order of declaration.
#pragma once

#include <concepts>
#include <optional>
#include <span>
#include <string_view>

#include "ringside/base/error.h"

namespace ringside::inline base {

struct Field {
  const char* name;
  const char* meaning;
  const char* unit = "";
  double minimum = 0, maximum = 0;  // of a number
  bool is_count = false;            // an integer that people write with Ki, Mi, Gi
};

template <typename E>
concept NamedEnum = requires(E value) {
  { texts(value) } -> std::convertible_to<std::span<const std::string_view>>;
};

template <NamedEnum E>
std::string_view to_string(E value) {
  const std::span<const std::string_view> known = texts(value);
  if (size_t(value) >= known.size()) throw InvariantError("an enumerator without a text");
  return known[size_t(value)];
}

template <NamedEnum E>
std::optional<E> from_text(std::string_view text) {
  const std::span<const std::string_view> known = texts(E{});
  for (size_t i = 0; i < known.size(); ++i)
    if (known[i] == text) return static_cast<E>(i);
  return std::nullopt;
}

}  // namespace ringside::inline base
