// Text in columns, counted as a terminal shows it: one column a code point.
#pragma once

#include <string>
#include <string_view>

namespace ringside {

size_t columns(std::string_view utf8);
std::string pad(std::string_view text, size_t width);  // to the right, never cut
std::string pad_left(std::string_view text, size_t width);
// Breaks at blanks so that no line passes `width`, a longer word excepted. The first line
// stands behind `indent` columns that the caller wrote; later ones start with as many blanks.
std::string wrap(std::string_view text, size_t width, size_t indent);

}  // namespace ringside
