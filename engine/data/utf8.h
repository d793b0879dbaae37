// As much UTF-8 as reading other people's files needs.
#pragma once

#include <string>
#include <string_view>

namespace ringside {

// `cut`: the text was cut off at its end, perhaps within a character.
bool is_utf8(std::string_view text, bool cut);

// A name that may be printed or written as JSON: control characters and bytes
// that are not UTF-8 become '?'.
std::string printable(std::string_view name);

}  // namespace ringside
