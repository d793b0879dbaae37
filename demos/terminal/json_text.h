// How every command writes its one document.
#pragma once

#include <iosfwd>
#include <nlohmann/json.hpp>
#include <optional>

namespace ringside {

using Json = nlohmann::ordered_json;

inline constexpr int kJsonSchema = 1;  // assets/schema: raised when a reader must change

// Indented, one value a line, arrays of numbers on one; what JSON cannot say (NaN,
// infinity) becomes null, bytes that are no UTF-8 become U+FFFD.
void write_json(const Json& document, std::ostream& out);

// f of each row.
template <typename Rows, typename Function>
Json array_of(const Rows& rows, const Function& f) {
  Json array = Json::array();
  for (const auto& row : rows) array.push_back(f(row));
  return array;
}

template <typename Value>
Json or_null(const std::optional<Value>& value) {
  return value ? Json(*value) : Json(nullptr);
}

}  // namespace ringside
