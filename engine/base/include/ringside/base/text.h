// Text: UTF-8 (utfcpp), and columns as a terminal shows them: two of a wide letter (Chinese).
#pragma once

#include <charconv>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ringside::inline base {

inline constexpr char32_t kReplacement = 0xFFFD;  // stands for bytes that are no UTF-8

struct Letter {
  char32_t code = kReplacement;
  size_t bytes = 1;
  bool valid = false;
};
Letter first_letter(std::string_view text);      // of a text that is not empty
size_t valid_utf8_bytes(std::string_view text);  // before the first letter that is not valid
std::string to_utf8(char32_t code);              // kReplacement's for 0 and what is no code point
inline bool continues_letter(char byte) { return (byte & 0xC0) == 0x80; }

// C0, DEL and C1: a terminal may act on them.
inline bool is_control(char32_t code) { return code < 0x20 || (code >= 0x7F && code < 0xA0); }
// Fit to be printed or written as JSON: control characters and bytes that are not UTF-8 become '?'.
std::string printable(std::string_view text);
// What somebody typed, as errors repeat it: control characters and bytes that are not UTF-8 escaped (\n,
// \x1b), and of more than `most` columns the beginning and the end, with "…" between them.
inline constexpr size_t kTypedColumns = 60, kPathColumns = 200;
std::string as_typed(std::string_view typed, size_t most = kTypedColumns);
std::string typed_path(const std::filesystem::path& path);  // of at most kPathColumns

std::string lower(std::string_view text);  // of ASCII letters alone, as is upper()
std::string upper(std::string_view text);
std::string_view trimmed(std::string_view text);     // without blanks, tabs and ends of lines around it
std::string_view next_line(std::string_view& rest);  // with its end; taken off `rest`, which is not empty
// What stands between any of these letters, "" too: one part more than there are of them.
std::vector<std::string_view> split(std::string_view text, std::string_view separators);

std::string as_markup(std::string_view text);  // &, <, > and " as HTML and XML want them

// What the whole text is as a number; none where it is something else, or out of range.
template <typename T>
std::optional<T> read_number(std::string_view text) {
  T value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size() ? std::optional(value) : std::nullopt;
}

size_t columns(std::string_view utf8);
// The letters of a text that fit into so many columns; `or_more`: that fill them.
std::string_view first_columns(std::string_view text, size_t most, bool or_more = false);
std::string pad(std::string_view text, size_t width);  // to the right, never cut
std::string pad_left(std::string_view text, size_t width);
// Breaks at blanks, and beside wide letters, so that no line passes `width`; a longer word does. The first line
// stands behind `indent` columns that the caller wrote; later ones start with as many blanks. Between two
// words of a line is one blank, or three where the text has three.
std::string wrap(std::string_view text, size_t width, size_t indent);

}  // namespace ringside::inline base
