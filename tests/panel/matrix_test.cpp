// A matrix of cells in the hands of a person; figure_view_test.cpp draws it at every size.
#include <catch.h>

#include "shown_figure.h"

namespace ringside {
namespace {

using Shown = test::ShownFigure;

figure::Matrix large_matrix(size_t rows, size_t columns) {
  figure::Matrix matrix{"from", "to", "bytes", {}, {}, {}};
  for (size_t i = 0; i < rows; ++i) matrix.rows.push_back("rank " + std::to_string(i));
  for (size_t i = 0; i < columns; ++i) matrix.columns.push_back(std::to_string(i));
  for (size_t i = 0; i < rows * columns; ++i)
    matrix.cells.push_back({figure::MatrixCell::State::kValue, double(i) * 1048576});
  return matrix;
}

}  // namespace

TEST_CASE("a matrix of a million cells is drawn in as many vertices as fit") {
  CHECK(Shown(large_matrix(1000, 1000)).vertices() < 60000);
}

TEST_CASE("the chosen cell brings itself into view, and the wheel moves the view, never beyond the end") {
  Shown shown(large_matrix(100, 80));
  shown.click("fig.0.0");
  for (int i = 0; i < 40; ++i) shown.press(ui::Key::kDown);
  CHECK(shown.state("chosen") == "rank 40, 0");
  CHECK(ui::find_item("fig.40.0") != nullptr);
  CHECK(ui::find_item("fig.0.0") == nullptr);
  for (int i = 0; i < 50; ++i) ui::inject_wheel(-5), shown.frames();
  shown.frames(2);
  CHECK(ui::find_item("fig.99.0") != nullptr);
  CHECK(shown.faults() == "");
}

TEST_CASE("the alarm's colour is a wrong cell's alone, and a larger value has a shade of its own") {
  // The colour of the rectangle that fills a marked item.
  const auto fill_of = [](const std::string& name) {
    const ui::Item* item = ui::find_item(name);
    const ImDrawData* data = ImGui::GetDrawData();
    for (int l = 0; item != nullptr && l < data->CmdListsCount; ++l) {
      for (const ImDrawVert& v : data->CmdLists[l]->VtxBuffer)
        if (v.pos.x == item->min.x && v.pos.y == item->min.y) return v.col;
    }
    return ImU32{0};
  };
  figure::Matrix matrix = large_matrix(4, 5);
  using State = figure::MatrixCell::State;
  matrix.cells[0] = {State::kSame}, matrix.cells[1] = {State::kDifferent}, matrix.cells[2] = {State::kWrong};
  Shown shown(matrix);
  CHECK(fill_of("fig.0.0") != ui::colours().alarm);
  CHECK(fill_of("fig.0.1") != ui::colours().alarm);
  CHECK(fill_of("fig.0.2") == ui::colours().alarm);
  CHECK(fill_of("fig.3.4") != fill_of("fig.0.3"));
  CHECK(fill_of("fig.3.4") == ui::colours().accent);
}

}  // namespace ringside
