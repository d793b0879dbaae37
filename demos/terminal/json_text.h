// How every command writes its one document.
#pragma once

#include <iosfwd>
#include <nlohmann/json.hpp>

namespace ringside {

using Json = nlohmann::ordered_json;

inline constexpr int kJsonSchema = 1;  // assets/schema: raised when a reader must change

// Indented, one value a line, arrays of numbers on one; what JSON cannot say (NaN,
// infinity) becomes null, bytes that are no UTF-8 become U+FFFD.
void write_json(const Json& document, std::ostream& out);

}  // namespace ringside
