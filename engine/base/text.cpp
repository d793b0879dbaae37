#include "ringside/base/text.h"

#include <fmt/format.h>
#include <utf8.h>

#include <algorithm>
#include <iterator>

#include "wide.h"

namespace ringside::inline base {
namespace {

constexpr std::string_view kBlanks = " \t\r\n";

std::string escaped(std::string_view bytes) {
  if (bytes == "\n") return "\\n";
  if (bytes == "\t") return "\\t";
  std::string text;
  for (const char byte : bytes) text += fmt::format("\\x{:02x}", static_cast<unsigned char>(byte));
  return text;
}

// The 26 letters that begin with `first` become those that begin with `other`.
std::string with_letters_from(char first, char other, std::string_view text) {
  std::string changed(text);
  for (char& c : changed)
    if (c >= first && c < first + 26) c = char(c - first + other);
  return changed;
}

}  // namespace

Letter first_letter(std::string_view text) {
  const char* at = text.data();
  try {
    const auto code = static_cast<char32_t>(utf8::next(at, text.data() + text.size()));
    return {code, size_t(at - text.data()), true};
  } catch (const utf8::exception&) {
    return {};
  }
}

size_t valid_utf8_bytes(std::string_view text) {
  const char* const end = text.data() + text.size();
  return size_t(utf8::find_invalid(text.data(), end) - text.data());
}

std::string to_utf8(char32_t code) {
  const bool is_surrogate = code >= 0xD800 && code < 0xE000;
  std::string letter;
  utf8::append(code == 0 || is_surrogate || code > 0x10FFFF ? kReplacement : code,
               std::back_inserter(letter));
  return letter;
}

std::string printable(std::string_view text) {
  std::string result;
  while (!text.empty()) {
    const Letter letter = first_letter(text);
    result += letter.valid && !is_control(letter.code) ? text.substr(0, letter.bytes) : "?";
    text.remove_prefix(letter.bytes);
  }
  return result;
}

std::string as_typed(std::string_view typed, size_t most) {
  std::string text;
  while (!typed.empty()) {
    const Letter letter = first_letter(typed);
    const std::string_view bytes = typed.substr(0, letter.bytes);
    text += letter.valid && !is_control(letter.code) ? std::string(bytes) : escaped(bytes);
    typed.remove_prefix(bytes.size());
  }
  if (columns(text) <= most) return text;
  const std::string_view begin = first_columns(text, most - most / 3 - 1);
  const std::string_view rest = std::string_view(text).substr(begin.size());
  const size_t left_out = first_columns(rest, columns(rest) - most / 3, true).size();
  return std::string(begin) + "…" + std::string(rest.substr(left_out));
}

std::string typed_path(const std::filesystem::path& path) { return as_typed(path.string(), kPathColumns); }

std::string lower(std::string_view text) { return with_letters_from('A', 'a', text); }
std::string upper(std::string_view text) { return with_letters_from('a', 'A', text); }

std::string as_markup(std::string_view text) {
  std::string result;
  for (const char c : text) {
    if (c == '&')
      result += "&amp;";
    else if (c == '<')
      result += "&lt;";
    else if (c == '>')
      result += "&gt;";
    else if (c == '"')
      result += "&quot;";
    else
      result += c;
  }
  return result;
}

std::string_view trimmed(std::string_view text) {
  const size_t begin = std::min(text.find_first_not_of(kBlanks), text.size());
  return text.substr(begin, text.find_last_not_of(kBlanks) + 1 - begin);
}

std::string_view next_line(std::string_view& rest) {
  const std::string_view line = rest.substr(0, std::min(rest.find('\n'), rest.size() - 1) + 1);
  rest.remove_prefix(line.size());
  return line;
}

std::vector<std::string_view> split(std::string_view text, std::string_view separators) {
  std::vector<std::string_view> parts;
  for (size_t begin = 0; begin <= text.size();) {
    const size_t end = std::min(text.find_first_of(separators, begin), text.size());
    parts.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return parts;
}

size_t columns(std::string_view utf8) {
  size_t all = 0;
  while (!utf8.empty()) {
    const Letter letter = first_letter(utf8);
    all += columns_of(letter.code);
    utf8.remove_prefix(letter.bytes);
  }
  return all;
}

std::string_view first_columns(std::string_view text, size_t most, bool or_more) {
  size_t bytes = 0;
  for (size_t used = 0; bytes < text.size();) {
    const Letter letter = first_letter(text.substr(bytes));
    if (or_more ? used >= most : used + columns_of(letter.code) > most) break;
    used += columns_of(letter.code);
    bytes += letter.bytes;
  }
  return text.substr(0, bytes);
}

std::string pad(std::string_view text, size_t width) {
  const size_t used = columns(text);
  return std::string(text) + std::string(used < width ? width - used : 0, ' ');
}

std::string pad_left(std::string_view text, size_t width) {
  const size_t used = columns(text);
  return std::string(used < width ? width - used : 0, ' ') + std::string(text);
}

namespace {

// What of a word stands on one line: to the first place where a line may end.
std::string_view first_piece(std::string_view word) {
  size_t bytes = 0;
  for (char32_t before = 0; bytes < word.size();) {
    const Letter letter = first_letter(word.substr(bytes));
    if (bytes > 0 && may_break(before, letter.code)) break;
    before = letter.code;
    bytes += letter.bytes;
  }
  return word.substr(0, bytes);
}

}  // namespace

std::string wrap(std::string_view text, size_t width, size_t indent) {
  constexpr std::string_view kParts = "   ";
  std::string wrapped;
  size_t at = indent;
  for (size_t begin = text.find_first_not_of(kBlanks), gap = 0; begin < text.size();) {
    const std::string_view behind = text.substr(begin);
    const std::string_view word = first_piece(behind.substr(0, behind.find_first_of(kBlanks)));
    const size_t end = begin + word.size();
    if (!wrapped.empty() && at + gap + columns(word) > width) {
      wrapped.append(1, '\n').append(indent, ' ');
      at = indent;
    } else {
      wrapped.append(gap, ' ');
      at += gap;
    }
    wrapped += word;
    at += columns(word);
    begin = std::min(text.find_first_not_of(kBlanks, end), text.size());
    gap = begin == end ? 0 : text.substr(end, begin - end) == kParts ? kParts.size() : 1;
  }
  return wrapped;
}

}  // namespace ringside::inline base
