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
  CHECK(wrap("immeasurably long", 8, 4) == "immeasurably\n    long");
  for (const size_t width : {12, 17, 40}) {
    std::string line(4, ' ');
    line += wrap("a few words of several lengths, some of which fit and some do not", width, 4) + "\n";
    for (size_t start = 0, end; (end = line.find('\n', start)) != std::string::npos; start = end + 1) {
      CHECK(columns(line.substr(start, end - start)) <= width);
    }
  }
}
