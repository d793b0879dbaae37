#include "letters.h"

#include <algorithm>
#include <cstdlib>
#include <memory>

#include "ringside/base/error.h"
#ifdef RINGSIDE_HAS_UTF8PROC
#include <utf8proc.h>
#endif

namespace ringside::inline tokenizer {
namespace {

bool is_space(char32_t code) {  // White_Space
  return (code >= 0x9 && code <= 0xD) || code == ' ' || code == 0x85 || code == 0xA0 || code == 0x1680 ||
         (code >= 0x2000 && code <= 0x200A) || code == 0x2028 || code == 0x2029 || code == 0x202F ||
         code == 0x205F || code == 0x3000;
}

bool is_ascii(std::string_view text) {
  return std::ranges::all_of(text, [](char c) { return static_cast<signed char>(c) >= 0; });
}

// How many bytes of a letter begin here and are as they have to be; whole: it is all of it.
size_t begun(std::string_view bytes, bool& whole) {
  const auto byte = [&](size_t i) { return uint8_t(bytes[i]); };
  const uint8_t first = byte(0);
  const size_t length = first < 0x80   ? 1
                        : first < 0xC2 ? 0
                        : first < 0xE0 ? 2
                        : first < 0xF0 ? 3
                        : first < 0xF5 ? 4
                                       : 0;
  whole = false;
  if (length == 0) return 1;
  // The second byte of some letters has less room: no overlong forms, no surrogates, none past U+10FFFF.
  const uint8_t low = first == 0xE0 ? 0xA0 : first == 0xF0 ? 0x90 : 0x80;
  const uint8_t high = first == 0xED ? 0x9F : first == 0xF4 ? 0x8F : 0xBF;
  size_t at = 1;
  while (at < length && at < bytes.size() && byte(at) >= (at == 1 ? low : 0x80) &&
         byte(at) <= (at == 1 ? high : 0xBF))
    ++at;
  whole = at == length;
  return at;
}

}  // namespace

std::string with_replacements(std::string_view bytes) {
  std::string text;
  text.reserve(bytes.size());
  while (!bytes.empty()) {
    bool whole = false;
    const size_t taken = begun(bytes, whole);
    text += whole ? bytes.substr(0, taken) : "\xEF\xBF\xBD";
    bytes.remove_prefix(taken);
  }
  return text;
}

#ifdef RINGSIDE_HAS_UTF8PROC

LetterKind kind_of(char32_t code) {
  if (is_space(code)) return LetterKind::kSpace;
  const utf8proc_category_t category = utf8proc_category(static_cast<utf8proc_int32_t>(code));
  if (category >= UTF8PROC_CATEGORY_LU && category <= UTF8PROC_CATEGORY_LO) return LetterKind::kLetter;
  if (category >= UTF8PROC_CATEGORY_ND && category <= UTF8PROC_CATEGORY_NO) return LetterKind::kNumber;
  return LetterKind::kOther;
}

std::string to_nfc(std::string_view text) {
  if (is_ascii(text)) return std::string(text);
  utf8proc_uint8_t* composed = nullptr;
  const utf8proc_ssize_t bytes = utf8proc_map(
      reinterpret_cast<const utf8proc_uint8_t*>(text.data()), static_cast<utf8proc_ssize_t>(text.size()),
      &composed, static_cast<utf8proc_option_t>(UTF8PROC_STABLE | UTF8PROC_COMPOSE));
  if (bytes < 0) throw InputError(std::string("a text has no NFC: ") + utf8proc_errmsg(bytes));
  const std::unique_ptr<utf8proc_uint8_t, decltype(&std::free)> owner(composed, &std::free);
  return {reinterpret_cast<const char*>(composed), size_t(bytes)};
}

#else

namespace {

[[noreturn]] void lacks_utf8proc() {
  throw MissingError(
      "a tokenizer.json needs utf8proc, and this was built without it: install libutf8proc-dev "
      "(Debian's name) and build again, or take the tokenizer of bytes");
}

}  // namespace

LetterKind kind_of(char32_t) { lacks_utf8proc(); }
std::string to_nfc(std::string_view) { lacks_utf8proc(); }

#endif

}  // namespace ringside::inline tokenizer
