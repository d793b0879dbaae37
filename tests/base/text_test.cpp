#include "ringside/base/text.h"

#include "catch.h"

using namespace ringside;

TEST_CASE("Columns are code points") {
  CHECK(columns("") == 0);
  CHECK(columns("abc") == 3);
  CHECK(columns("Ψ≈▸") == 3);
}

TEST_CASE("Padding counts columns and never cuts") {
  CHECK(pad("Ψ", 3) == "Ψ  ");
  CHECK(pad_left("Ψ", 3) == "  Ψ");
  CHECK(pad("long", 2) == "long");
  CHECK(pad_left("long", 2) == "long");
}

TEST_CASE("Text is broken at blanks within the width") {
  CHECK(wrap("", 10, 2).empty());
  CHECK(wrap("ab cd", 5, 0) == "ab cd");
  CHECK(wrap("one two  three", 10, 2) == "one two\n  three");
  CHECK(wrap("one two  three\n four ", 30, 0) == "one two three four");
  CHECK(wrap("one   two   three", 9, 0) == "one   two\nthree");  // parts of a line
  CHECK(wrap("immeasurably long", 8, 4) == "immeasurably\n    long");
  for (const size_t width : {12, 17, 40}) {
    std::string line(4, ' ');
    line += wrap("a few words of several lengths, some of which fit and some do not", width, 4) + "\n";
    for (size_t start = 0, end; (end = line.find('\n', start)) != std::string::npos; start = end + 1) {
      CHECK(columns(line.substr(start, end - start)) <= width);
    }
  }
}

TEST_CASE("A letter has a code point and its bytes, and what is no UTF-8 is one byte after the other") {
  const auto is = [](std::string_view text, char32_t code, size_t bytes) {
    const Letter letter = first_letter(text);
    return letter.valid && letter.code == code && letter.bytes == bytes;
  };
  CHECK(is("a", 'a', 1));
  CHECK(is(std::string_view("\0a", 2), 0, 1));
  CHECK(is("\u00e9t\u00e9", 0xE9, 2));
  CHECK(is("Ψ", 0x3A8, 2));
  CHECK(is("\uFFFD", 0xFFFD, 3));
  CHECK(is("😀!", 0x1F600, 4));
  // A continuation alone, overlong ones, a surrogate, beyond the last code point, cut off, followed by no
  // continuation.
  for (const std::string_view text : {"\x80", "\xc0\xaf", "\xe0\x80\x80", "\xf0\x80\x80\x80", "\xed\xa0\x80",
                                      "\xf4\x90\x80\x80", "\xff", "\xf0\x9f\x98", "\xce", "\xce\x41"}) {
    const Letter letter = first_letter(text);
    CHECK_FALSE(letter.valid);
    CHECK(letter.code == kReplacement);
    CHECK(letter.bytes == 1);
    CHECK(valid_utf8_bytes(text) == 0);
    CHECK(valid_utf8_bytes("Ψ" + std::string(text) + "a") == 2);
  }
  CHECK(valid_utf8_bytes("") == 0);
  CHECK(valid_utf8_bytes("é😀") == 6);
}

TEST_CASE("Every code point is written as it is read, and what is none as the replacement") {
  for (char32_t code = 1; code <= 0x10FFFF; code += code < 0x3000 ? 1 : 97) {
    if (code >= 0xD800 && code < 0xE000) continue;
    const Letter letter = first_letter(to_utf8(code));
    REQUIRE((letter.valid && letter.code == code));
  }
  for (const char32_t none : {0x0u, 0xD800u, 0xDFFFu, 0x110000u, 0xFFFFFFFFu})
    CHECK(to_utf8(none) == "\uFFFD");
}

TEST_CASE("What is printed has no control characters and no bytes that are not UTF-8") {
  CHECK(printable("Ψ and é") == "Ψ and é");
  CHECK(printable("a\nb\x7f"
                  "c\u009bd") == "a?b?c?d");
  CHECK(printable("caf\xe9 \xe2\x82") == "caf? ??");
}

TEST_CASE(
    "What was typed is repeated without control characters, and of a long one the beginning and the end") {
  CHECK(as_typed("") == "");
  CHECK(as_typed("Ψ and é \\n") == "Ψ and é \\n");
  CHECK(as_typed("a\x1b[31m\n\t\r\x7f\u009b\xff") == "a\\x1b[31m\\n\\t\\x0d\\x7f\\xc2\\x9b\\xff");
  CHECK(as_typed(std::string(60, 'a')) == std::string(60, 'a'));
  CHECK(as_typed("begin" + std::string(60000, '.') + "end") ==
        "begin" + std::string(34, '.') + "…" + std::string(17, '.') + "end");
  CHECK(as_typed(std::string(60000, '\n') + "Ψ", 6) == "\\n\\…nΨ");
  for (const size_t length : {59, 60, 61, 100}) {
    std::string letters;
    for (size_t i = 0; i < length; ++i) letters += "é";
    CHECK(columns(as_typed(letters)) == std::min<size_t>(length, 60));
    CHECK(valid_utf8_bytes(as_typed(letters)) == as_typed(letters).size());
  }
}
