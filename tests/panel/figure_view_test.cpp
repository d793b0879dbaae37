// Every kind of figure at every size, with whatever a lesson may put into it, and in the hands of a person.
#include <catch.h>

#include "drawn_text.h"
#include "odd_figures.h"
#include "shown_figure.h"

namespace ringside {
namespace {

using test::NamedFigure;
using Shown = test::ShownFigure;
namespace samples = figure::samples;

std::vector<NamedFigure> all_figures() {
  std::vector<NamedFigure> all = samples::all();
  for (const auto& more : {test::empty_figures(), test::odd_figures()})
    all.insert(all.end(), more.begin(), more.end());
  return all;
}

// The mouse goes over the whole picture; what is in its way is told of.
void draw_everywhere(test::Windowless& room, const NamedFigure& figure, ImVec2 size,
                     const figure::Value* pinned) {
  FigureView view;
  INFO(figure.first << " at " << size.x << " x " << size.y);
  FigureView::Options options{1, pinned, 3.0};
  view.focus();
  for (const float part : {-0.1f, 0.2f, 0.5f, 0.8f}) {
    room.mouse_to(ImVec2{size.x * part, size.y * part});
    ImVec2 after;
    room.in_window([&] {
      const ImVec2 at = ImGui::GetCursorScreenPos();
      view.draw("fig", size, figure.second, options);
      CHECK(ImGui::GetItemRectMax().x == at.x + size.x);
      CHECK(ImGui::GetItemRectMax().y == at.y + size.y);
    });
    CHECK(room.faults() == "");
    CHECK(ui::find_item("fig") != nullptr);
  }
}

}  // namespace

TEST_CASE("figures are drawn without a fault at every size, scale and theme") {
  const auto [scale, mode, size] = GENERATE(std::tuple(1.0f, ui::Mode::kDark, ImVec2(900, 500)),
                                            std::tuple(1.0f, ui::Mode::kLight, ImVec2(300, 150)),
                                            std::tuple(1.0f, ui::Mode::kDark, ImVec2(420, 260)),
                                            std::tuple(2.0f, ui::Mode::kDark, ImVec2(1100, 640)));
  test::Windowless room(size.x + 200, size.y + 200, scale, mode);
  for (const NamedFigure& one : all_figures()) draw_everywhere(room, one, size, nullptr);
}

TEST_CASE("a figure fits into no room at all; bars below each other have their numbers behind them") {
  test::Windowless room(400, 300);
  for (const NamedFigure& one : all_figures()) {
    INFO(one.first);
    FigureView view;
    for (const ImVec2 size :
         {ImVec2(0, 0), ImVec2(10, 300), ImVec2(300, 10), ImVec2(40, 40), ImVec2(60, 25)}) {
      room.in_window([&] { view.draw("fig", size, one.second); });
      CHECK(room.faults() == "");
    }
  }
  test::ShownFigure shown(figure::Bars{{"change"},
                                       {{"here"}, {"there"}},
                                       {{"both", {5.74, 5.74}}, {"one", {4.25, 0}}, {"short", {0.25, 0.25}}},
                                       false});
  const std::string text = test::drawn_text();
  INFO(text);
  for (const char* words : {"5.74\n", "4.25, 0", "0.25\n"})
    CHECK((text + "\n").find(words) != std::string::npos);
  test::ShownFigure three(
      figure::Bars{{"change"}, {{"a"}, {"b"}, {"c"}}, {{"row", {1.25, 2.5, 3.75}}}, false});
  const std::string each = test::drawn_text();
  for (const char* words : {"1.25", "2.5", "3.75"}) CHECK(each.find(words) != std::string::npos);
}

TEST_CASE("a pair of figures is drawn without a fault; pinned lines lie below, figures beside") {
  test::Windowless room(920, 520);
  for (const NamedFigure& one : all_figures()) draw_everywhere(room, one, {900, 500}, &one.second);
  Shown lines(samples::lines());
  const figure::Value pinned = samples::lines();
  lines.options.pinned = &pinned;
  lines.frames();
  CHECK(lines.state("lines") == "3");  // what was guessed and computed is said once
  CHECK(ui::find_item("fig.legend.trained, pinned") != nullptr);
  CHECK(ui::find_item("fig.pinned") == nullptr);
  Shown bars(samples::bars());
  const figure::Value other = samples::bars();
  bars.options.pinned = &other;
  bars.frames();
  CHECK(ui::find_item("fig.2") != nullptr);
  CHECK(ui::find_item("fig.pinned.2") != nullptr);
  CHECK(bars.state("pinned.rows") == "3");
}

TEST_CASE("what is pointed at is told of, and marked for scripts") {
  const auto check = [](figure::Value value, const std::string& item, const std::string& hovered,
                        const std::string& kind) {
    INFO(item << " of " << kind);
    Shown shown(std::move(value));
    CHECK(shown.state("kind") == kind);
    const size_t before = shown.vertices();
    shown.point_at(item);
    CHECK(shown.state("hovered") == hovered);
    CHECK(shown.drawn.hovered);
    CHECK(shown.vertices() > before);  // the note
    CHECK(shown.faults() == "");
  };
  check(samples::bars(), "fig.1", "stage 1", "bars");
  check(samples::matrix(), "fig.0.1", "rank 0, rank 1", "matrix");
  check(samples::boxes(), "fig.1.1", "1.1", "boxes");
  check(samples::lanes(), "fig.3", "3", "lanes");
  check(samples::graph(), "fig.4", "4", "graph");
  figure::Listing cut = samples::listing();
  cut.lines[2].text = std::string(300, 'x');
  check(cut, "fig.2", "2", "listing");
}

TEST_CASE("a box that is pointed at lights the groups that it names, else its own") {
  figure::Boxes boxes;
  for (const char* group : {"a", "b", ""}) {
    boxes.rows.push_back({group, {}});
    for (int i = 0; i < 3; ++i) boxes.rows.back().boxes.push_back({.text = "", .group = group});
  }
  boxes.rows[1].boxes[2].lights = {"a", "b"};
  Shown shown(boxes);
  CHECK(shown.state("lit") == "");
  for (const auto& [item, lit] :
       {std::pair("fig.0.1", "3"), {"fig.1.0", "3"}, {"fig.1.2", "6"}, {"fig.2.0", ""}}) {
    INFO(item);
    shown.point_at(item);
    CHECK(shown.state("lit") == lit);
  }
}

TEST_CASE("the row that is pointed at is told; focus() gives the keyboard to the figure") {
  Shown table(samples::table());
  const ui::Item* header = ui::find_item("fig.header.station");
  REQUIRE(header != nullptr);
  const ImVec2 second(header->min.x + 10, header->max.y + 1.5f * (header->max.y - header->min.y) + 6);
  table.mouse_to(second);
  table.frames(2);
  CHECK(table.state("hovered") == "1");
  CHECK(table.drawn.hovered);
  for (const auto& [value, chosen] : std::vector<std::pair<figure::Value, std::string>>{
           {samples::bars(), "stage 0"}, {samples::graph(), "1"}, {samples::matrix(), "rank 0, rank 0"}}) {
    Shown shown(value);
    shown.view.focus();
    shown.frames(3);
    shown.press(ui::Key::kDown);
    CHECK(shown.state("chosen") == chosen);
  }
}

TEST_CASE("a click and the arrow keys choose; a listing follows its line until a person left it") {
  const auto chosen_by = [](figure::Value value, const std::string& item, ui::Key key) {
    Shown shown(std::move(value));
    shown.click(item);
    shown.press(key);
    return shown.state("chosen");
  };
  CHECK(chosen_by(samples::bars(), "fig.1", ui::Key::kDown) == "not run");
  CHECK(chosen_by(samples::bars(), "fig.1", ui::Key::kUp) == "stage 0");
  CHECK(chosen_by(samples::boxes(), "fig.1.1", ui::Key::kRight) == "1.2");
  CHECK(chosen_by(samples::boxes(), "fig.0.1", ui::Key::kDown) == "1.1");
  CHECK(chosen_by(samples::lanes(), "fig.0", ui::Key::kRight) == "1");
  CHECK(chosen_by(samples::lanes(), "fig.1", ui::Key::kDown) == "3");
  CHECK(chosen_by(samples::graph(), "fig.3", ui::Key::kRight) == "4");
  CHECK(chosen_by(samples::listing(), "fig.0", ui::Key::kDown) == "1");
  CHECK(chosen_by(samples::matrix(), "fig.1.1", ui::Key::kRight) == "rank 1, rank 2");
  figure::Listing listing;
  for (int i = 0; i < 200; ++i) listing.lines.push_back({"line"});
  Shown shown(listing);
  CHECK(shown.state("first") == "0");
  listing.current = 120;
  shown.value = listing, ++shown.options.version;
  shown.frames();
  CHECK(ui::find_item("fig.120") != nullptr);
  CHECK(ui::find_item("fig.122") != nullptr);  // what comes next is seen
  shown.point_at("fig");
  ui::inject_wheel(30), shown.frames(2);
  CHECK(ui::find_item("fig.120") == nullptr);
  ++shown.options.version, shown.frames();
  CHECK(ui::find_item("fig.120") == nullptr);
}

TEST_CASE("a handle is dragged; where it is dropped its parameter is set, once") {
  figure::Contours contours = samples::contours();
  contours.handle = figure::Handle{"start", "begin", {-1, 0.5}};
  Shown shown(contours);
  const ui::Item* item = ui::find_item("fig.handle");
  REQUIRE(item != nullptr);
  const ImVec2 at{(item->min.x + item->max.x) / 2, (item->min.y + item->max.y) / 2};
  shown.mouse_to(at), shown.frames(2);
  shown.button(true), shown.frames();
  shown.mouse_to(ImVec2{at.x + 150, at.y + 60}), shown.frames();
  CHECK_FALSE(shown.drawn.set);  // not before it is dropped
  shown.button(false), shown.frames();
  REQUIRE(shown.drawn.set);
  CHECK(shown.drawn.set->first == "begin");
  const auto place = figure::place_of_text(shown.drawn.set->second);
  REQUIRE(place);
  CHECK(place->x > -1);
  CHECK(place->y < 0.5);
  shown.frames();
  CHECK_FALSE(shown.drawn.set);
  shown.mouse_to(at), shown.frames(2);
  shown.button(true), shown.frames();
  shown.mouse_to(ImVec2{-500, 5000}), shown.frames();  // out of the picture: it stays at its edge
  shown.button(false), shown.frames();
  REQUIRE(shown.drawn.set);
  CHECK(shown.drawn.set->second == figure::text_of_place(contours, {*contours.x.least, *contours.y.least}));
}

TEST_CASE("the pinned run's handle cannot be moved; what a person did stays while values come") {
  figure::Contours contours = samples::contours();
  contours.handle = figure::Handle{"start", "begin", {-1, 0.5}};
  Shown shown(contours);
  const figure::Value pinned = contours;
  shown.options.pinned = &pinned;
  shown.frames(2);
  CHECK(ui::find_item("fig.handle") != nullptr);
  CHECK(ui::find_item("fig.pinned.handle") == nullptr);
  Shown sorted(samples::table());
  sorted.click("fig.header.time");
  CHECK(sorted.state("sorted") == "time");
  sorted.value = figure::Nothing{"Not yet."}, ++sorted.options.version, sorted.frames();
  CHECK(sorted.state("why") == "Not yet.");
  sorted.value = samples::table(), ++sorted.options.version, sorted.frames();
  CHECK(sorted.state("sorted") == "time");
}

TEST_CASE("the cursor is dragged along its axis; another value under the same version is drawn") {
  for (const figure::Value& value : {figure::Value(samples::lanes()), figure::Value(samples::lines())}) {
    Shown shown(value);
    shown.options.cursor_x = std::holds_alternative<figure::Lanes>(value) ? 0.005 : 25;
    shown.frames();
    const ui::Item* whole = ui::find_item("fig");
    float x = 0;  // where the drag begins: the first place that answers
    for (float at = whole->min.x; at < whole->max.x && x == 0; at += 4) {
      shown.mouse_to(ImVec2{at, 250}), shown.frames();
      shown.button(true), shown.frames();
      if (shown.drawn.dragged) x = at;
      shown.button(false), shown.frames();
    }
    REQUIRE(x > 0);
    shown.mouse_to(ImVec2{x, 250}), shown.frames();
    shown.button(true), shown.frames(2);
    shown.mouse_to(ImVec2{x + 100, 250}), shown.frames();
    REQUIRE(shown.drawn.dragged);
    CHECK(*shown.drawn.dragged > *shown.options.cursor_x);
  }
  const std::vector<NamedFigure> samples = samples::all(), odd = test::odd_figures(),
                                 none = test::empty_figures();
  Shown shown(samples[0].second);
  for (const auto* figures : {&samples, &odd, &samples, &none, &odd})
    for (const NamedFigure& one : *figures) {
      INFO(one.first);
      shown.value = one.second;
      shown.frames();
      CHECK(shown.faults() == "");
    }
}

TEST_CASE("a graph that is a little too long for its room keeps its words whole, and can be moved") {
  const std::string name = "a node whose name is long";
  figure::Graph graph;
  for (size_t i = 0; i < 6; ++i) graph.nodes.push_back({name + std::to_string(i)});
  for (size_t i = 0; i + 1 < 6; ++i)
    for (const size_t skip : {1, 2})  // more than fit below each other
      if (i + skip < 6) graph.edges.push_back({i, i + skip});
  Shown shown(std::move(graph));
  shown.reshape(860, 120, 1, ui::Mode::kDark);
  shown.frames(2);
  CHECK(test::drawn_text().find(name + "0") != std::string::npos);
}

TEST_CASE("what a picture of a large graph leaves out is counted") {
  const size_t nodes = GENERATE(20, 500);
  figure::Graph graph;
  for (size_t i = 0; i < nodes; ++i) graph.nodes.push_back({"node " + std::to_string(i)});
  for (size_t i = 0; i < nodes; ++i)
    for (size_t k = 1; k <= 8 && i + k * k < nodes; ++k) graph.edges.push_back({i, i + k * k});
  Shown shown(std::move(graph));
  CHECK((shown.state("left_out") == "") == (nodes == 20));
}

}  // namespace ringside
