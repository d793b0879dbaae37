// JSON as text, written field by field: a trace may be larger than a document
// in memory should be.
#pragma once

#include <fmt/format.h>

#include <concepts>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "fields.h"
#include "ringside/trace/trace.h"

namespace ringside {

// What is JSON already.
struct JsonText {
  std::string text;
};

// One JSON object, of pairs of a key and a value; a visitor of visit_fields.
class ObjectText {
 public:
  explicit ObjectText(const Trace& trace) : trace_(&trace) {}

  template <typename T, typename... More>
  ObjectText& operator()(std::string_view key, const T& value, const More&... more) {
    if (!fields_.empty()) fields_ += ',';
    fields_ += json(key) + ':' + json(value);
    if constexpr (sizeof...(more) > 0) (*this)(more...);
    return *this;
  }
  std::string text() const { return "{" + fields_ + "}"; }

 private:
  static std::string json(std::string_view text);  // with its quotes; invalid UTF-8 becomes U+FFFD
  static std::string json(double value);           // shortest exact text; "nan", "inf" and "-inf" as strings
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
  std::string json(const Attributes& values) const {
    ObjectText object(*trace_);
    for (const auto& [name, value] : values) object(name, value);
    return object.text();
  }
  std::string json(const HasFields auto& value) const {
    ObjectText object(*trace_);
    visit_fields(value, object);
    return object.text();
  }
  template <typename T>
  std::string json(const std::vector<T>& parts) const {
    std::string array;
    for (const T& part : parts) array += (array.empty() ? "" : ",") + json(part);
    return "[" + array + "]";
  }

  const Trace* trace_;
  std::string fields_;
};

}  // namespace ringside
