// What a piece asks of a letter: Unicode's general category, and the white space of \s. And NFC.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace ringside::inline tokenizer {

enum class LetterKind : uint8_t { kLetter, kNumber, kSpace, kOther };  // \p{L}, \p{N}, \s, none of these
LetterKind kind_of(char32_t code);

std::string to_nfc(std::string_view text);  // of valid UTF-8
// Each stretch of bytes that begins a letter and does not end it, and each other byte that is none, as
// U+FFFD.
std::string with_replacements(std::string_view bytes);

// The letter at `at` of valid UTF-8, and where the next one is.
struct CodePoint {
  char32_t code;
  size_t end;
};
inline CodePoint code_point(std::string_view text, size_t at) {
  const auto byte = [&](size_t i) { return static_cast<char32_t>(uint8_t(text[at + i])); };
  const char32_t first = byte(0);
  if (first < 0x80) return {first, at + 1};
  if (first < 0xE0) return {(first & 0x1F) << 6 | (byte(1) & 0x3F), at + 2};
  if (first < 0xF0) return {(first & 0x0F) << 12 | (byte(1) & 0x3F) << 6 | (byte(2) & 0x3F), at + 3};
  return {(first & 0x07) << 18 | (byte(1) & 0x3F) << 12 | (byte(2) & 0x3F) << 6 | (byte(3) & 0x3F), at + 4};
}

}  // namespace ringside::inline tokenizer
