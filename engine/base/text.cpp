#include "ringside/base/text.h"

#include <algorithm>
#include <sstream>

namespace ringside {

size_t columns(std::string_view utf8) {
  constexpr unsigned char kContinuationMask = 0xC0, kContinuation = 0x80;
  return static_cast<size_t>(std::count_if(utf8.begin(), utf8.end(), [](unsigned char byte) {
    return (byte & kContinuationMask) != kContinuation;
  }));
}

std::string pad(std::string_view text, size_t width) {
  const size_t used = columns(text);
  return std::string(text) + std::string(used < width ? width - used : 0, ' ');
}

std::string pad_left(std::string_view text, size_t width) {
  const size_t used = columns(text);
  return std::string(used < width ? width - used : 0, ' ') + std::string(text);
}

std::string wrap(std::string_view text, size_t width, size_t indent) {
  std::istringstream words{std::string(text)};
  std::string wrapped, word;
  size_t at = indent;
  while (words >> word) {
    if (!wrapped.empty() && at + columns(word) > width) {
      wrapped.append(1, '\n').append(indent, ' ');
      at = indent;
    } else if (!wrapped.empty()) {
      wrapped += ' ';
    }
    wrapped += word;
    at += columns(word) + 1;
  }
  return wrapped;
}

}  // namespace ringside
