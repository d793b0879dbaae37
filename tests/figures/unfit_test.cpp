#include <catch.h>

#include "check_text.h"
#include "ringside/base/error.h"
#include "ringside/figures/compute.h"
#include "ringside/lesson/config.h"
#include "samples.h"

namespace ringside::figure {
namespace {

// Why a sample is unfit once `spoil` has been at it.
template <typename Kind, typename Spoil>
std::string spoiled(Kind kind, Spoil spoil) {
  REQUIRE(why_unfit(kind).empty());
  spoil(kind);
  return why_unfit(kind);
}

}  // namespace

TEST_CASE("samples are fit") {
  for (const auto& [name, value] : samples::all()) {
    INFO(name);
    CHECK(why_unfit(value) == "");
    CHECK((points(value) > 0 || name == "nothing"));
  }
}

TEST_CASE("each mistake in a figure is named, with what to do") {
  using namespace samples;
  const auto says = [](const std::string& why, const std::string& part) {
    INFO(why);
    CHECK(why.find(part) != std::string::npos);
  };
  says(spoiled(lines(), [](Lines& v) { v.lines[0].points[3].x = kNone; }), "an x of 'trained' is nan");
  says(spoiled(lines(), [](Lines& v) { v.lines[0].points[3].y = HUGE_VAL; }), "a y of 'trained' is inf");
  says(spoiled(lines(), [](Lines& v) { v.lines[1].points[3].x = 0; }),
       "x of line '1 / step' falls from 3 to 0; sort");
  says(spoiled(lines(), [](Lines& v) { v.lines.clear(); }),
       "it is empty: no line has a point; return Nothing");
  says(spoiled(lines(), [](Lines& v) { v.y.least = 3, v.y.most = 3; }), "axis 'loss' ends at 3, not above 3");
  says(spoiled(lines(), [](Lines& v) { v.x.log = true, v.x.least = 0; }), "logarithmic and begins at 0");
  says(spoiled(lines(),
               [](Lines& v) {
                 v.lines[0].points.resize(300'000, {1e6, 1});
               }),
       "300,042 points; at most 200,000");
  says(spoiled(bars(), [](Bars& v) { v.rows[1].values.pop_back(); }),
       "row 'stage 1' has 2 values; there are 3 parts");
  says(spoiled(bars(), [](Bars& v) { v.rows[1].values[0] = -1; }), "stacks -1, which is below 0");
  says(spoiled(bars(), [](Bars& v) { v.rows.clear(); }), "it is empty");
  says(spoiled(matrix(), [](Matrix& v) { v.cells.pop_back(); }), "5 cells; 2 rows of 3 columns need 6");
  says(spoiled(matrix(), [](Matrix& v) { v.cells[1].value = kNone; }), "a cell of 'rank 0' is nan");
  says(spoiled(contours(), [](Contours& v) { v.x.most.reset(); }), "axis 'w0' needs least and most");
  says(spoiled(contours(), [](Contours& v) { v.heights.pop_back(); }), "860 heights");
  says(spoiled(contours(), [](Contours& v) { v.heights[3] = kNone; }), "a height of 'w1' is nan");
  says(spoiled(contours(), [](Contours& v) { v.paths[0].points[0].y = kNone; }), "a y of 'SGD' is nan");
  says(spoiled(contours(),
               [](Contours& v) {
                 v.handle = Handle{"start", "begin", {kNone, 0}};
               }),
       "an x of 'start' is nan");
  says(spoiled(contours(), [](Contours& v) { v.handle = Handle{"start", ""}; }), "names no parameter");
  says(spoiled(boxes(), [](Boxes& v) { v.links[0].to.box = 4; }),
       "a link's box 4 does not exist; there are 4");
  says(spoiled(boxes(), [](Boxes& v) { v.rows[0].boxes[0].width = 0; }), "width 0");
  says(spoiled(lanes(), [](Lanes& v) { v.items[0].lane = 2; }), "an item's lane 2 does not exist");
  says(spoiled(lanes(), [](Lanes& v) { v.items[0].to = -1; }), "'forward' ends at -1, before it begins at 0");
  says(spoiled(graph(), [](Graph& v) { v.edges[0].to = 6; }), "an edge's node 6 does not exist");
  says(spoiled(listing(), [](Listing& v) { v.current = 3; }), "the current line 3 does not exist");
  says(spoiled(listing(), [](Listing& v) { v.lines[0].text = "\xff"; }), "the text \"?\" is not UTF-8");
  says(spoiled(table(), [](Table& v) { v.rows[0].pop_back(); }), "a row has 2 cells; there are 3 columns");
  says(spoiled(table(), [](Table& v) { v.lit = {9}; }), "the lit row 9 does not exist");
  says(why_unfit(Nothing{}), "does not say why");
}

TEST_CASE("whoever computes a figure is told which one of which lesson is wrong") {
  Lesson lesson;
  lesson.id = "mine";
  lesson.figures = {{"one", "One", [](const FigureInput&) { return Value(samples::lines()); }}};
  const Config config = Config::parse("mine", {}, {});
  const Trace trace;
  const FigureInput input{config, trace};
  const auto message = [&](auto value) {
    lesson.figures[0].value = value;
    return message_of<InvariantError>([&] { compute(lesson, lesson.figures[0], input); }, "");
  };
  CHECK(message([](const FigureInput&) { return Value(samples::lines()); }) == "");
  CHECK(message([](const FigureInput&) -> Value { throw std::runtime_error("no rows"); }) ==
        "figure 'one' of lesson 'mine': its function throws: no rows; where there is nothing to show yet, "
        "return "
        "Nothing and say why");
  CHECK(message([](const FigureInput&) { return Value(Lines()); }) ==
        "figure 'one' of lesson 'mine': it is empty: no line has a point; return Nothing and say why");
  CHECK(message(nullptr) == "figure 'one' of lesson 'mine': it has no function; set FigureSpec::value");
  lesson.figures.push_back(lesson.figures[0]);
  CHECK(message([](const FigureInput&) { return Value(samples::lines()); }).ends_with("give each its own"));

  lesson.figures.pop_back();
  CHECK(sentence(lesson, lesson.figures[0], input) == "One");
  lesson.figures[0].sentence = [](const FigureInput&) -> std::string { throw std::out_of_range("at"); };
  CHECK_THROWS_AS(sentence(lesson, lesson.figures[0], input), InvariantError);
  lesson.readouts = [](const FigureInput&) -> std::vector<Readout> { throw std::out_of_range("at"); };
  CHECK_THROWS_AS(readouts(lesson, input), InvariantError);
}

TEST_CASE("thinning keeps a figure fit, within the bound, and says how much it left out") {
  Lines many{{"x"}, {"y"}, {{"zigzag", Ink::kText, Stroke::kMeasured, {}}}};
  for (int i = 0; i < 100'000; ++i) many.lines[0].points.push_back({double(i), i == 777 ? 50.0 : i % 2});
  const Thinned few = thinned(many, 1000);
  const auto& kept = std::get<Lines>(few.value).lines[0].points;
  CHECK(kept.size() <= 1000);
  CHECK(few.left_out == 100'000 - kept.size());
  CHECK((kept.front().x == 0 && kept.back().x == 99'999));
  CHECK(std::any_of(kept.begin(), kept.end(), [](const Point& p) { return p.y == 50; }));  // no peak is lost
  many.lines[0].points[1].y = kNone, many.lines[0].points[5].y = -50;
  const auto low = std::get<Lines>(thinned(many, 1000).value).lines[0].points;
  CHECK(std::any_of(low.begin(), low.end(), [](const Point& p) { return p.y == -50; }));  // behind a gap
  CHECK(thinned(many, 100'000).left_out == 0);
  for (const auto& [name, value] : samples::all()) {
    INFO(name);
    const Thinned small = thinned(value, 100);
    CHECK(why_unfit(small.value) == "");
    CHECK(points(small.value) <= 100);
    CHECK(points(value) == points(small.value) + small.left_out);
  }
  Matrix wide{"", "", "", {}, {}, {}};
  for (int i = 0; i < 300; ++i)
    wide.rows.push_back(std::to_string(i)), wide.columns.push_back(std::to_string(i));
  wide.cells.resize(90'000, {MatrixCell::State::kSame});
  wide.cells[12'345].state = MatrixCell::State::kWrong;
  const Matrix shown = std::get<Matrix>(thinned(wide, 2000).value);
  CHECK(shown.cells.size() <= 2000);
  CHECK(std::any_of(shown.cells.begin(), shown.cells.end(),
                    [](const MatrixCell& cell) { return cell.state == MatrixCell::State::kWrong; }));
}

}  // namespace ringside::figure

TEST_CASE("a place on the axes as text, and back") {
  const Contours v = samples::contours();  // -2 to 2, -1 to 1
  CHECK(text_of_place(v, {-1.23456, 0.5}) == "-1.235,0.5");
  CHECK(text_of_place(v, {-0.00001, 0}) == "0,0");
  const auto place = place_of_text("-1.235,0.5");
  REQUIRE(place);
  CHECK(place->x == -1.235);
  CHECK(place->y == 0.5);
  for (const char* wrong : {"", "1", "1,", ",1", "1,2,3", "1, 2", "nan,0", "inf,0", "a,b"})
    CHECK_FALSE(place_of_text(wrong));
}
