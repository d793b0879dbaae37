#include <catch.h>

#include "ringside/base/text.h"
#include "ringside/figures/text.h"
#include "samples.h"

namespace ringside::figure {
namespace {

std::vector<std::string> lines_of(const std::string& text) {
  std::istringstream in(text);
  std::vector<std::string> lines;
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

}  // namespace

TEST_CASE("a text keeps to its width, ends each line, and says the same with colour") {
  for (const auto& [name, value] : samples::all())
    for (const int width : {40, 60, 80, 98, 120}) {
      INFO(name << ", " << width);
      const std::string text = to_text(value, width, false);
      REQUIRE(text.ends_with('\n'));
      CHECK(text.find('\x1b') == std::string::npos);
      for (const std::string& line : lines_of(text)) {
        CHECK(columns(line) <= static_cast<size_t>(width));
        CHECK(!line.ends_with(' '));
      }
      std::string coloured = to_text(value, width, true), plain;
      for (size_t i = 0; i < coloured.size(); ++i) {
        if (coloured[i] == '\x1b')
          i = coloured.find('m', i);
        else
          plain += coloured[i];
      }
      for (size_t at; (at = plain.find(" \n")) != std::string::npos;) plain.erase(at, 1);
      CHECK(plain == text);
    }
}

// Lines of a picture, as they are seen.
#define CHECK_TEXT(value, width, ...)                          \
  do {                                                         \
    const std::vector<std::string> expected = {__VA_ARGS__};   \
    CHECK(lines_of(to_text(value, width, false)) == expected); \
  } while (false)

TEST_CASE("lines are a plot, its axes, and what they are") {
  Lines v{{"step"}, {"loss"}, {{"a", Ink::kText, Stroke::kMeasured, {{0, 0}, {4, 4}}}}};
  CHECK_TEXT(v, 40,                                       //
             "loss",                                      //
             "4 ┤                                  ⢀⠤⠊",  //
             "  │                               ⢀⠤⠊⠁",    //
             "  │                            ⣀⠤⠊⠁",       //
             "3 ┤                         ⣀⠔⠊",           //
             "  │                      ⣀⠔⠊",              //
             "2 ┤                   ⡠⠔⠉",                 //
             "  │                ⡠⠔⠉",                    //
             "  │            ⢀⡠⠒⠉",                       //
             "1 ┤         ⢀⡠⠒⠁",                          //
             "  │      ⢀⠤⠒⠁",                             //
             "  │   ⢀⠤⠊⠁",                                //
             "0 ┤⣀⠤⠊⠁",                                   //
             "  └─────────────────────────────────────",  //
             "   0       1         2        3        4",  //
             "                                    step",  //
             "   a");
  v.lines.resize(9, v.lines[0]);  // too many for a plot
  const auto rows = lines_of(to_text(v, 60, false));
  CHECK(rows[0] == "loss: 0 to 4, its end at the right");
  CHECK(rows[1].starts_with("a  ▁"));
  CHECK(rows[1].ends_with("█  4"));
}

TEST_CASE("boxes of a letter each have no gaps between them, whatever the width") {
  Boxes boxes;
  boxes.rows = {{"", std::vector<Box>(40, Box{.text = "o", .width = 1})}};
  for (const int width : {44, 60, 80})
    CHECK(lines_of(to_text(boxes, width, false)).at(0) == "  " + std::string(40, 'o'));
}

TEST_CASE("bars, a matrix, boxes with their links, and lanes") {
  CHECK_TEXT(samples::bars(), 60,                                             //
             "memory",                                                        //
             "stage 0  ████▓▓▓▒▒▒▒▒▒▒│▒▒▒▒▒▒▒▒▒▒▒▒▒▒  16.00 MiB  16Ψ",        //
             "stage 1  ████▓▓▓▒▒▒▒▒▒ │                7.00 MiB  4Ψ + 12Ψ/N",  //
             "not run                │                —",                     //
             "         █ parameters   ▓ gradients   ▒ optimizer",             //
             "         │ the limit 8.00 MiB");
  CHECK_TEXT(samples::matrix(), 60, "bytes; down: from; across: to",  //
             "        rank 0    rank 1    rank 2",                    //
             "rank 0       ·  1.00 KiB  4.00 KiB",                    //
             "rank 1       =         ≠      lost",                    //
             "        = same   ≠ different");
  CHECK_TEXT(samples::boxes(), 60,                              //
             "storage    │0 ██│1 ██│2 ▓▓│3 ▓▓│  32 B",          //
             "view [2:]  │         │2 ▓▓│3 ▓▓│  same storage",  //
             "           view [2:] 2 → storage 2: offset 2");
  CHECK_TEXT(samples::lanes(), 60,                                            //
             "rank 0  ▐forward██████████████████░░░░░░░░░░░░░░░░░░░░░░░░░░",  //
             "rank 1  ▐forward█████████████████████████████████████████ ▐▶",  //
             "        0 ms       5 ms        10 ms        15 ms      20 ms",  //
             "                                                        time",  //
             "        ░ waits",                                               //
             "        rank 1 → rank 0 push 19.5 ms – 20.0 ms",                //
             "        rank 0 → rank 1 pull 12.0 ms – 14.0 ms (lost)");
}
TEST_CASE("shares with a word tell the word; their sum says nothing") {
  const Bars shares{{"share", "%"}, {{"a"}, {"b"}}, {{"row", {40, 60}, "2 ms"}}, true};
  const std::string text = to_text(shares, 60, false);
  CHECK(text.find("2 ms") != std::string::npos);
  CHECK(text.find("100") == std::string::npos);
}
TEST_CASE("a large matrix is shades with its worst cells; names that do not fit are numbered") {
  Matrix wide{"", "", "", {}, {}, {}};
  for (int i = 0; i < 300; ++i)
    wide.rows.push_back(std::to_string(i)), wide.columns.push_back(std::to_string(i));
  wide.cells.resize(90'000, {MatrixCell::State::kSame});
  wide.cells[12'345].state = MatrixCell::State::kWrong;
  const std::string text = to_text(wide, 80, false);
  CHECK(text.find("✗") != std::string::npos);
  CHECK(text.find("stand for 300 x 300: of each block, the worst one.") != std::string::npos);
  CHECK(lines_of(text).size() < 50);
  Matrix many{"", "", "", {}, {}, {}};
  for (const char* row : {"one", "two"}) many.rows.push_back(row);
  for (int i = 0; i < 12; ++i)
    many.columns.push_back("a long name of test " + std::string(1, static_cast<char>('a' + i)));
  many.cells.resize(24, {MatrixCell::State::kSame});
  const auto lines = lines_of(to_text(many, 80, false));
  CHECK(lines[0] == "     1  2  3  4  5  6  7  8  9  10 11 12");
  CHECK(lines[1].starts_with("one  =  =  ="));
  const std::string below = to_text(many, 80, false);
  CHECK(below.find("1 a long name of test a") != std::string::npos);
  CHECK(below.find("12 a long name of test l") != std::string::npos);
  for (int i = 0; i < 12; ++i) many.columns[static_cast<size_t>(i)] = "step " + std::to_string(i);
  CHECK(to_text(many, 60, false).find("12 step 11") != std::string::npos);
}

TEST_CASE("contours are shades with letters for paths; a blank box has its text and no edges") {
  Contours v{{"x", "", false, 0, 1}, {"y", "", false, 0, 1}, 2, 2, {0, 1, 2, 3}};
  v.paths = {{"SGD", Ink::kAccent, {{0, 1}, {0.5, 0.5}, {1, 0}}}};
  const auto lines = lines_of(to_text(v, 40, false));
  CHECK(lines[1] == "1 │a ▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓");
  CHECK(lines[9] == "  │▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒ a ▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓");
  CHECK(lines[18] == "0 │                  ················· A");
  CHECK(lines[lines.size() - 2] == "   ' ' is 0, '▓' 3   a SGD");
  CHECK(lines.back() == "   capitals: where they end");
  const Box gap{.text = "", .filled = false, .blank = true}, cell{.text = "", .filled = false};
  Boxes boxes;
  boxes.rows = {{"", {{.text = "ab", .width = 2, .filled = false, .blank = true}, gap, gap}},
                {"row", {cell, cell, gap, cell}}};
  CHECK_TEXT(boxes, 40,   //
             "      ab",  //
             "row  │   │   │   │   │");
}

TEST_CASE("a graph is an outline; a listing is shown around its current line") {
  CHECK_TEXT(samples::graph(), 60,          //
             "loss  1 element",             //
             "↳ ▶ NllLoss",                 //
             "↳ LogSoftmax  saves 400 B",   //
             "├→ Addmm  saves input",       //
             "│  ├→ weight  leaf  [mat2]",  //
             "│  └→ bias  leaf  [self]",    //
             "└→ bias  (above)");
  CHECK_TEXT((Graph{{{"a"}, {"b"}}, {{0, 1}, {1, 0}}}), 60, "a", "↳ b", "↳ a  (above)");
  Graph chain;
  for (size_t i = 0; i < 100'000; ++i) chain.nodes.push_back({"n"});
  for (size_t i = 0; i + 1 < chain.nodes.size(); ++i) chain.edges.push_back({i, i + 1});
  CHECK(lines_of(to_text(chain, 60, false)).back() == "... 99940 more nodes");
  CHECK_TEXT(samples::listing(), 80,                //
             "  1  def f():",                       //
             "  2      yield 1                 1",  //
             "▶ 3      return iter(range(10))  StopIteration(<range_iterator>)");
  const Listing narrow{{{"return iter(range(10))", "returns an iterator, 10 left in it"}}, {}};
  CHECK_TEXT(narrow, 50,                                           //
             "  1  return iter(range(10))  returns an iterator,",  //
             "                             10 left in it");
  Listing large;
  for (int i = 1; i <= 1000; ++i) large.lines.push_back({"line " + std::to_string(i)});
  large.current = 499;
  const auto lines = lines_of(to_text(large, 80, false));
  CHECK(lines.front() == "... 479 lines above");
  CHECK(lines[21] == "▶ 500  line 500");
  CHECK(lines.back() == "... 481 more lines");
}

TEST_CASE("a table is aligned, and cut where it is long or wide; an unfit figure says why instead") {
  CHECK_TEXT(samples::table(), 60,            //
             "  station     time, s  calls",  //
             "  __add__      1.2 µs  1,000",  //
             "▶ redispatch   0.3 µs     12");
  Table large = samples::table();
  large.lit.clear();
  large.rows.resize(100, large.rows[0]);
  large.rows[0][0].text = std::string(200, 'x');
  const auto lines = lines_of(to_text(large, 40, false));
  CHECK(lines[1] == "xxxxxxxxxxxxxxxxxxxxxxx…   1.2 µs  1,000");
  CHECK(lines.back() == "... 60 more rows");
  Table wide{{{"run"}, {"waited", "ms", true}, {"ended"}},
             {{{"the same, where a rank is late and all others wait"}, {"1,024"}, {"runs to its end"}}}};
  CHECK_TEXT(wide, 40,                                  // no word of a cell is lost
             "run            waited, ms  ended",        //
             "the same,           1,024  runs to its",  //
             "where a rank               end",          //
             "is late and", "all others", "wait");
  CHECK_TEXT(Lines(), 80,
             "This figure cannot be shown: it is empty: no line has a point; return Nothing and say why.");
  CHECK_TEXT(Nothing{"Not yet."}, 80, "Not yet.");
}

}  // namespace ringside::figure
