#include "utf8.h"

#include <cstdint>

namespace ringside {
namespace {

// Bytes of the character that `text` begins with; 0 if it is not well-formed
// (The Unicode Standard, table 3-7). `text` is not empty.
size_t character_length(std::string_view text) {
  const auto byte = [&](size_t i) { return static_cast<uint8_t>(text[i]); };
  const uint8_t lead = byte(0);
  if (lead < 0x80) return 1;
  const size_t length = lead < 0xc2 ? 0 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : lead < 0xf5 ? 4 : 0;
  if (length == 0 || text.size() < length) return 0;
  for (size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xc0) != 0x80) return 0;
  }
  const bool overlong = (lead == 0xe0 && byte(1) < 0xa0) || (lead == 0xf0 && byte(1) < 0x90);
  const bool surrogate = lead == 0xed && byte(1) > 0x9f;
  const bool beyond = lead == 0xf4 && byte(1) > 0x8f;
  return overlong || surrogate || beyond ? 0 : length;
}

// C0, DEL and C1: a terminal may act on them.
bool is_control(std::string_view character) {
  const auto first = static_cast<uint8_t>(character[0]);
  return first < 0x20 || first == 0x7f || (first == 0xc2 && static_cast<uint8_t>(character[1]) < 0xa0);
}

}  // namespace

bool is_utf8(std::string_view text, bool cut) {
  constexpr size_t kLongest = 4;
  while (!text.empty()) {
    const size_t length = character_length(text);
    if (length == 0) return cut && text.size() < kLongest;
    text.remove_prefix(length);
  }
  return true;
}

std::string printable(std::string_view name) {
  std::string result;
  while (!name.empty()) {
    const size_t length = character_length(name);
    const bool good = length > 0 && !is_control(name.substr(0, length));
    result += good ? name.substr(0, length) : "?";
    name.remove_prefix(length > 0 ? length : 1);
  }
  return result;
}

}  // namespace ringside
