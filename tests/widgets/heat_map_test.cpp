// A matrix of cells in the hands of a person; tests/panel draws it at every size.
#include <catch.h>

#include <cmath>

#include "ringside/widgets/heat_map.h"
#include "windowless.h"

using ringside::test::Windowless;
namespace ui = ringside::ui;
using ringside::figure::Matrix;
using ringside::figure::MatrixCell;
using State = MatrixCell::State;
using ui::HeatMap;

namespace {

std::vector<std::string> names(int count) {
  std::vector<std::string> all;
  for (int i = 0; i < count; ++i) all.push_back("rank " + std::to_string(i));
  return all;
}

MatrixCell traffic(int row, int column) {
  if (row == column) return {};
  return {State::kValue, row == 1 && column == 2 ? NAN : (row + 1) * 1048576.0 * (column + 1)};
}
MatrixCell verdict(int row, int column) {
  return {row == column ? State::kSame : row == 2 ? State::kWrong : State::kDifferent};
}

Matrix matrix_of(int rows, int columns, MatrixCell (*cell)(int, int)) {
  Matrix matrix{"from", "to", "bytes", names(rows), names(columns), {}};
  for (int row = 0; row < rows; ++row)
    for (int column = 0; column < columns; ++column) matrix.cells.push_back(cell(row, column));
  return matrix;
}

struct Held : Windowless {
  Held() : Windowless(500, 400) {
    show([this] { drawn = map.draw("sent", ImGui::GetContentRegionAvail(), matrix); });
  }
  HeatMap map;
  HeatMap::Drawn drawn;
  Matrix matrix = matrix_of(4, 5, traffic);
};

// The colour of the rectangle that fills a marked item.
ImU32 fill_of(const std::string& name) {
  const ui::Item* item = ui::find_item(name);
  const ImDrawData* data = ImGui::GetDrawData();
  for (int l = 0; item != nullptr && l < data->CmdListsCount; ++l) {
    for (const ImDrawVert& v : data->CmdLists[l]->VtxBuffer)
      if (v.pos.x == item->min.x && v.pos.y == item->min.y) return v.col;
  }
  return 0;
}

}  // namespace

TEST_CASE("a matrix of a million cells is drawn in as many vertices as fit") {
  Windowless room(800, 500);
  const Matrix matrix = matrix_of(1000, 1000, traffic);
  HeatMap map;
  room.in_window([&] { map.draw("m", ImGui::GetContentRegionAvail(), matrix); });
  CHECK(room.vertices() < 60000);
}

TEST_CASE("a click selects the cell and tells which") {
  Held held;
  held.frames(2);
  REQUIRE(held.mouse_to("sent.2.3"));
  held.frames(2);
  CHECK(held.drawn.hovered == HeatMap::Place{2, 3});
  held.button(true), held.frames();
  CHECK(held.drawn.chosen == HeatMap::Place{2, 3});
  held.button(false), held.frames();
  CHECK_FALSE(held.drawn.chosen);
  CHECK(held.map.selected == HeatMap::Place{2, 3});
  held.press(ui::Key::kDown);
  CHECK(held.map.selected == HeatMap::Place{3, 3});
  held.press(ui::Key::kDown);
  CHECK(held.map.selected == HeatMap::Place{3, 3});
  held.press(ui::Key::kLeft);
  CHECK(held.map.selected == HeatMap::Place{3, 2});
}

TEST_CASE("the selection brings itself into view, and the wheel moves the view, never beyond the end") {
  Held held;
  held.matrix = matrix_of(100, 80, traffic);
  held.frames(2);
  held.click("sent.0.0");
  for (int i = 0; i < 40; ++i) held.press(ui::Key::kDown);
  CHECK(held.map.selected == HeatMap::Place{40, 0});
  CHECK(ui::find_item("sent.40.0") != nullptr);
  CHECK(ui::find_item("sent.0.0") == nullptr);
  for (int i = 0; i < 50; ++i) ui::inject_wheel(-5), held.frames();
  held.frames(2);
  CHECK(ui::find_item("sent.99.0") != nullptr);
  CHECK(held.faults() == "");
}

TEST_CASE("the alarm's colour is a wrong cell's alone, and a larger value has a shade of its own") {
  Held held;
  held.matrix = matrix_of(4, 5, verdict);
  held.frames(2);
  CHECK(fill_of("sent.2.0") == ui::colours().alarm);
  CHECK(fill_of("sent.1.0") != ui::colours().alarm);
  CHECK(fill_of("sent.0.0") != ui::colours().alarm);
  held.matrix = matrix_of(4, 5, traffic);
  held.frames(2);
  CHECK(fill_of("sent.3.4") != fill_of("sent.0.1"));
  CHECK(fill_of("sent.3.4") == ui::colours().accent);
}
