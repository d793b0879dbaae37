#include "ringside/trace/attribute.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>

namespace ringside {
namespace {

std::optional<double> read_number(std::string_view text) {
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

struct InWords {
  std::string operator()(const std::string& text) const { return text; }
  std::string operator()(bool yes) const { return yes ? "yes" : "no"; }
  std::string operator()(auto number) const { return fmt::format("{}", number); }
};

}  // namespace

std::string Attribute::text() const { return std::visit(InWords{}, value_); }

std::optional<double> Attribute::number() const {
  if (const auto* whole = std::get_if<int64_t>(&value_)) return static_cast<double>(*whole);
  if (const auto* number = std::get_if<double>(&value_)) return *number;
  if (const auto* text = std::get_if<std::string>(&value_)) return read_number(*text);
  return std::nullopt;
}

std::optional<int64_t> Attribute::integer() const {
  constexpr double kExact = 9007199254740992.0;  // 2^53
  if (const auto* whole = std::get_if<int64_t>(&value_)) return *whole;
  const std::optional<double> value = number();
  if (!value || !(std::abs(*value) <= kExact) || std::trunc(*value) != *value) return std::nullopt;
  return static_cast<int64_t>(*value);
}

std::optional<bool> Attribute::yes() const {
  if (const auto* flag = std::get_if<bool>(&value_)) return *flag;
  const auto* text = std::get_if<std::string>(&value_);
  if (text != nullptr && (*text == "yes" || *text == "on")) return true;
  if (text != nullptr && (*text == "no" || *text == "off")) return false;
  return std::nullopt;
}

}  // namespace ringside
