// JSON as text, written field by field: a trace may be larger than a document
// in memory should be.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "fields.h"
#include "ringside/trace/trace.h"

namespace ringside {

std::string json_string(std::string_view text);  // with its quotes; invalid UTF-8 becomes U+FFFD
std::string number_text(double value);           // shortest exact text; "nan", "inf" and "-inf" as strings

// One JSON object; a visitor of visit_fields.
class ObjectText {
 public:
  explicit ObjectText(const Trace& trace) : trace_(trace) {}

  void operator()(std::string_view key, NameId id) { add(key, json_string(trace_.name(id))); }
  void operator()(std::string_view key, int32_t value) { add(key, std::to_string(value)); }
  void operator()(std::string_view key, int64_t value) { add(key, std::to_string(value)); }
  void operator()(std::string_view key, bool value) { add(key, value ? "true" : "false"); }
  void operator()(std::string_view key, double value) { add(key, number_text(value)); }
  void operator()(std::string_view key, const std::string& value) { add(key, json_string(value)); }
  void operator()(std::string_view key, std::string_view value) { add(key, json_string(value)); }
  void operator()(std::string_view key, std::optional<int64_t> value) {
    add(key, value ? std::to_string(*value) : "null");
  }
  void operator()(std::string_view key, const Attributes& values) {
    ObjectText object(trace_);
    for (const auto& [name, value] : values)
      std::visit([&](const auto& held) { object(name, held); }, value.value());
    add(key, object.text());
  }
  void operator()(std::string_view key, const TablePtr& table) { add(key, json_string(table->name)); }
  void operator()(std::string_view key, const std::vector<Attribute>& values);
  template <typename E>
  requires std::is_enum_v<E>
  void operator()(std::string_view key, E value) { add(key, json_string(to_string(value))); }
  template <typename T>
  void operator()(std::string_view key, const std::vector<T>& parts) {
    std::string array = "[";
    for (const T& part : parts) {
      ObjectText object(trace_);
      visit_fields(part, object);
      if (array.size() > 1) array += ",";
      array += object.text();
    }
    add(key, array + "]");
  }

  void add(std::string_view key, std::string_view json);  // `json` is JSON already
  std::string text() const { return "{" + fields_ + "}"; }

 private:
  const Trace& trace_;
  std::string fields_;
};

}  // namespace ringside
