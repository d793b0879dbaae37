#include "json_text.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

namespace ringside {

std::string ObjectText::json(std::string_view text) {
  const auto is_plain = [](char c) { return c >= ' ' && c <= '~' && c != '"' && c != '\\'; };
  if (std::all_of(text.begin(), text.end(), is_plain)) return fmt::format("\"{}\"", text);
  return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

std::string ObjectText::json(double value) {
  if (std::isnan(value)) return "\"nan\"";
  if (std::isinf(value)) return value > 0 ? "\"inf\"" : "\"-inf\"";
  return fmt::format("{}", value);
}

}  // namespace ringside
