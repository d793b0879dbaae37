#include "ringside/base/text.h"

#include "catch.h"
#include "ringside/base/error.h"
#include "ringside/base/units.h"

using namespace ringside;

TEST_CASE("padding counts columns, and text is broken within a width") {
  CHECK(columns("") == 0);
  CHECK(columns("abc") == 3);
  CHECK(columns("Ψ≈▸") == 3);
  CHECK(pad("Ψ", 3) == "Ψ  ");
  CHECK(pad_left("Ψ", 3) == "  Ψ");
  CHECK(pad("long", 2) == "long");
  CHECK(pad_left("long", 2) == "long");
  CHECK(wrap("", 10, 2).empty());
  CHECK(wrap("ab cd", 5, 0) == "ab cd");
  CHECK(wrap("one two  three", 10, 2) == "one two\n  three");
  CHECK(wrap("one two  three\n four ", 30, 0) == "one two three four");
  CHECK(wrap("one   two   three", 9, 0) == "one   two\nthree");  // parts of a line
  CHECK(wrap("immeasurably long", 8, 4) == "immeasurably\n    long");
  for (const size_t width : {12, 17, 40}) {
    std::string line(4, ' ');
    line += wrap("a few words of several lengths, some of which fit and some do not", width, 4) + "\n";
    for (size_t start = 0, end; (end = line.find('\n', start)) != std::string::npos; start = end + 1)
      CHECK(columns(line.substr(start, end - start)) <= width);
  }
}

TEST_CASE("a wide letter has two columns, a mark on a letter none; a line may end beside a wide letter") {
  CHECK(columns("中等的一般评价") == 14);
  CHECK(columns("e\u0301") == 1);
  CHECK(columns("アｶ한") == 5);  // the second of half width
  CHECK(columns("✓✗◐█…─") == 6);
  CHECK(pad("好评", 6) == "好评  ");
  CHECK(pad_left("好评", 6) == "  好评");
  CHECK(as_typed("一二三四五六七八", 8) == "一二…八");
  CHECK(wrap("一二三四五", 6, 2) == "一二\n  三四\n  五");
  CHECK(wrap("一二，三四", 4, 0) == "一\n二，\n三四");  // no line begins with a comma
  CHECK(wrap("use 数据 now", 8, 0) == "use 数据\nnow");
  CHECK(wrap("a数据b c", 4, 0) == "a数\n据b\nc");
}

TEST_CASE("letters are written as they are read, byte by byte where they are none") {
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
  for (char32_t code = 1; code <= 0x10FFFF; code += code < 0x3000 ? 1 : 97) {
    if (code >= 0xD800 && code < 0xE000) continue;
    const Letter letter = first_letter(to_utf8(code));
    REQUIRE((letter.valid && letter.code == code));
  }
  for (const char32_t none : {0x0u, 0xD800u, 0xDFFFu, 0x110000u, 0xFFFFFFFFu})
    CHECK(to_utf8(none) == "\uFFFD");
}

TEST_CASE("what is printed or repeated has no control characters, and of a long text its ends") {
  CHECK(printable("Ψ and é") == "Ψ and é");
  CHECK(printable("a\nb\x7f"
                  "c\u009bd") == "a?b?c?d");
  CHECK(printable("caf\xe9 \xe2\x82") == "caf? ??");
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

TEST_CASE("a text's case, its margins, its lines, and as markup") {
  CHECK(lower("A Z[@é") == "a z[@é");
  CHECK(upper("a z{`é") == "A Z{`é");
  CHECK(trimmed(" \t a b\r\n") == "a b");
  CHECK(trimmed(" \n").empty());
  CHECK(as_markup("a<b> & \"c\"") == "a&lt;b&gt; &amp; &quot;c&quot;");
  std::string_view rest = "one\n\ntwo";
  CHECK(next_line(rest) == "one\n");
  CHECK(next_line(rest) == "\n");
  CHECK(next_line(rest) == "two");
  CHECK(rest.empty());
}

TEST_CASE("counts are grouped, bytes and durations take the unit that keeps them short") {
  CHECK(format_count(0) == "0");
  CHECK(format_count(999) == "999");
  CHECK(format_count(1000) == "1,000");
  CHECK(format_count(1048576) == "1,048,576");
  CHECK(format_count(-999) == "-999");
  CHECK(format_count(-123456) == "-123,456");
  CHECK(format_count(INT64_MAX) == "9,223,372,036,854,775,807");
  CHECK(format_count(INT64_MIN) == "-9,223,372,036,854,775,808");
  CHECK(format_bytes(0) == "0 B");
  CHECK(format_bytes(12) == "12 B");
  CHECK(format_bytes(1023) == "1023 B");
  CHECK(format_bytes(1023.6) == "1.00 KiB");
  CHECK(format_bytes(1024) == "1.00 KiB");
  CHECK(format_bytes(3072) == "3.00 KiB");
  CHECK(format_bytes(1024.0 * 1024 - 1) == "1.00 MiB");
  CHECK(format_bytes(16.0 * (1 << 20)) == "16.00 MiB");
  CHECK(format_bytes(2.1 * (1 << 30)) == "2.10 GiB");
  CHECK(format_bytes(-2048) == "-2.00 KiB");
  CHECK(format_duration(0) == "0 s");
  CHECK(format_duration(800e-9) == "800 ns");
  CHECK(format_duration(120e-6) == "120 µs");
  CHECK(format_duration(1.4e-9) == "1.4 ns");
  CHECK(format_duration(10.2388e-6) == "10.2 µs");
  CHECK(format_duration(999.4e-9) == "999 ns");
  CHECK(format_duration(999.7e-6) == "1.0 ms");
  CHECK(format_duration(35.2e-3) == "35.2 ms");
  CHECK(format_duration(0.99999) == "1.0 s");
  CHECK(format_duration(6.1) == "6.1 s");
  CHECK(format_duration(59.97) == "1 min 00 s");
  CHECK(format_duration(125) == "2 min 05 s");
  CHECK(format_duration(3725) == "1 h 02 min");
  CHECK(format_duration(-6.1) == "-6.1 s");
}

TEST_CASE("a count is read in each of its notations") {
  CHECK(parse_count("0", "k") == 0);
  CHECK(parse_count("4096", "k") == 4096);
  CHECK(parse_count("64Ki", "k") == 65536);
  CHECK(parse_count("1Mi", "k") == 1048576);
  CHECK(parse_count("3Gi", "k") == int64_t{3} << 30);
  CHECK(parse_count("1Ti", "k") == int64_t{1} << 40);
  CHECK(parse_count("2.5e6", "k") == 2500000);
  CHECK(parse_count("0.5Ki", "k") == 512);
  CHECK(parse_count("7.5e9", "k") == 7500000000);
  CHECK(parse_count("9223372036854775807", "k") == INT64_MAX);
}

TEST_CASE("what is no count is refused by name") {
  const char* const texts[] = {"",
                               "Ki",
                               "1Zi",
                               "1K",
                               "nan",
                               "inf",
                               "-inf",
                               "-1",
                               "-0.5",
                               "1.5",
                               "0.3Ki",
                               "1e",
                               "0x10",
                               " 1",
                               "1 ",
                               "+1",
                               "1,000",
                               "1e19",
                               "1e400",
                               "NaNKi",
                               "1KiKi",
                               "9223372036854775808",
                               "9223372036854775807Ki",
                               "8388608Ti",
                               "--1",
                               "1e-400",
                               "٣"};
  for (const std::string text : texts) {
    INFO("text '" << text << "'");
    CHECK_THROWS_AS(parse_count(text, "bucket"), UsageError);
  }
  try {
    parse_count("1Zi", "bucket");
    FAIL("1Zi was read");
  } catch (const UsageError& error) {
    CHECK(std::string(error.what()).find("bucket=1Zi") == 0);
    CHECK(error.code() == ExitCode::kUsage);
  }
}
