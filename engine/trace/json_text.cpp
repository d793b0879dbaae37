#include "json_text.h"

#include <cmath>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace ringside {

std::string json_string(std::string_view text) {
  return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

std::string number_text(double value) {
  if (std::isnan(value)) return "\"nan\"";
  if (std::isinf(value)) return value > 0 ? "\"inf\"" : "\"-inf\"";
  return fmt::format("{}", value);
}

void ObjectText::operator()(std::string_view key, const std::vector<Attribute>& values) {
  struct InJson {
    std::string operator()(const std::string& text) const { return json_string(text); }
    std::string operator()(int64_t value) const { return std::to_string(value); }
    std::string operator()(double value) const { return number_text(value); }
    std::string operator()(bool value) const { return value ? "true" : "false"; }
  };
  std::string array = "[";
  for (const Attribute& value : values) {
    if (array.size() > 1) array += ",";
    array += std::visit(InJson{}, value.value());
  }
  add(key, array + "]");
}

void ObjectText::add(std::string_view key, std::string_view json) {
  if (!fields_.empty()) fields_ += ",";
  fields_ += json_string(key);
  fields_ += ":";
  fields_ += json;
}

}  // namespace ringside
