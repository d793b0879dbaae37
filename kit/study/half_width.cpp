#include "half_width.h"

#include "ringside/base/text.h"

namespace ringside::inline kit {

std::string half_width(std::string_view utf8) {
  constexpr char32_t kFirst = 0xFF01, kLast = 0xFF5E, kBlank = 0x3000;  // of "!" and "~"; the wide blank
  std::string out;
  while (!utf8.empty()) {
    const Letter letter = first_letter(utf8);
    if (letter.code >= kFirst && letter.code <= kLast)
      out += char(letter.code - kFirst + '!');
    else if (letter.code == kBlank)
      out += ' ';
    else
      out += utf8.substr(0, letter.bytes);
    utf8.remove_prefix(letter.bytes);
  }
  return out;
}

}  // namespace ringside::inline kit
