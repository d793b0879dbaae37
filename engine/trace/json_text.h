// JSON as text, written field by field: a trace may be larger than a document
// in memory should be.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "ringside/base/json.h"
#include "ringside/trace/fields.h"
#include "ringside/trace/trace.h"

namespace ringside::inline trace {

// What is JSON already.
struct JsonText {
  std::string text;
};

// One JSON object, of pairs of a key and a value; a visitor of visit_fields.
class ObjectText {
 public:
  explicit ObjectText(const Trace& trace) : trace_(&trace) {}
  ObjectText(const Trace& trace, const HasFields auto& value) : trace_(&trace) { visit_fields(value, *this); }

  // Words are written where there are any.
  template <typename T, typename... More>
  ObjectText& operator()(std::string_view key, const T& value, const More&... more) {
    if (!is_no_words(value)) {
      if (!fields_.empty()) fields_ += ',';
      fields_ += json(key) + ':' + json(value);
    }
    if constexpr (sizeof...(more) > 0) (*this)(more...);
    return *this;
  }
  std::string text() const { return "{" + fields_ + "}"; }

 private:
  template <typename T>
  static bool is_no_words(const T& value) {
    if constexpr (std::is_same_v<T, std::vector<std::string>>) return value.empty();
    return false;
  }
  // With its quotes; bytes that are no UTF-8 become U+FFFD.
  static std::string json(std::string_view text) {
    const auto is_plain = [](char c) { return c >= ' ' && c <= '~' && c != '"' && c != '\\'; };
    if (std::ranges::all_of(text, is_plain)) return fmt::format("\"{}\"", text);
    return Json(text).dump(-1, ' ', false, Json::error_handler_t::replace);
  }
  // The shortest text that is exact; "nan", "inf" and "-inf" are strings.
  static std::string json(double value) {
    if (std::isfinite(value)) return fmt::format("{}", value);
    return std::isnan(value) ? "\"nan\"" : value > 0 ? "\"inf\"" : "\"-inf\"";
  }
  static std::string json(std::integral auto value) { return fmt::format("{}", value); }
  static std::string json(NamedEnum auto value) { return json(to_string(value)); }
  static std::string json(const TablePtr& table) { return json(table->name); }
  static std::string json(const JsonText& value) { return value.text; }
  static std::string json(const ObjectText& object) { return object.text(); }
  std::string json(NameId id) const { return json(trace_->name(id)); }
  template <typename T>
  std::string json(const std::optional<T>& value) const {
    return value ? json(*value) : "null";
  }
  std::string json(const std::same_as<Attribute> auto& value) const {
    return std::visit([&](const auto& held) { return json(held); }, value.value());
  }
  std::string json(const HasFields auto& value) const { return ObjectText(*trace_, value).text(); }
  template <typename T>
  std::string json(const std::vector<T>& parts) const {
    std::string array = "[";
    for (const T& part : parts) array += json(part) + ',';
    if (array.back() == ',') array.pop_back();
    return array + ']';
  }

  const Trace* trace_;
  std::string fields_;
};

}  // namespace ringside::inline trace
