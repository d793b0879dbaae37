// A table sorted, copied and with more rows than anybody reads; figure_view_test.cpp draws it at every size.
#include <catch.h>

#include "drawn_text.h"
#include "shown_figure.h"
namespace ringside {
namespace {

const figure::Table kFour = {{{"tensor"}, {"bytes", "MiB", true}, {"kind"}},
                             {{{"b"}, {"10", 10}, {"first"}},
                              {{"a"}, {"9", 9}, {"second"}},
                              {{"c"}, {"—", NAN}, {"a\tthird\n"}},
                              {{"a"}, {"100", 100}, {"fourth of a very long kind"}}}};

struct HeldTable : test::ShownFigure {
  std::string copied;
  explicit HeldTable(const figure::Table& table) : ShownFigure(table) {
    ImGui::GetIO().ClipboardUserData = &copied;
    ImGui::GetIO().SetClipboardTextFn = [](void* to, const char* text) {
      *static_cast<std::string*>(to) = text;
    };
  }
  std::string text() {
    click("fig.copy");
    return copied;
  }
  std::string first_column() {
    std::string out;
    const std::string all = text();
    for (size_t at = all.find('\n'); at + 1 < all.size(); at = all.find('\n', at + 1)) out += all[at + 1];
    return out;
  }
};

figure::Table numbered(size_t count) {
  figure::Table table{{{"kind", "", true}, {"row"}}, {}};
  for (size_t i = 0; i < count; ++i) table.rows.push_back({{"kind", double(i % 3)}, {std::to_string(i)}});
  return table;
}

// A matrix of cells in the hands of a person; figure_view_test.cpp draws it at every size.
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

TEST_CASE("many rows are few vertices; a click on a title sorts, another one reverses, stably") {
  const size_t many = HeldTable(numbered(100'000)).vertices();
  CHECK(many < HeldTable(numbered(1000)).vertices() + 2000);
  HeldTable held(kFour);
  CHECK(held.first_column() == "baca");
  held.click("fig.header.tensor");
  CHECK(held.first_column() == "aabc");
  held.click("fig.header.kind");
  CHECK(held.state("sorted") == "kind");
  held.click("fig.header.bytes");
  CHECK(held.text() ==
        "tensor\tbytes (MiB)\tkind\na\t9\tsecond\nb\t10\tfirst\na\t100\tfourth of a very long kind\nc\t—\ta "
        "third \n");
  held.click("fig.header.bytes");
  CHECK(held.first_column() == "abac");  // a cell without a number stays last
  held.click("fig.header.tensor"), held.click("fig.header.tensor");
  CHECK(held.text().find("second") < held.text().find("fourth"));  // reversed, yet stable
}

TEST_CASE("a thousand rows of three kinds keep their order within each kind, both ways") {
  HeldTable held(numbered(1000));
  held.click("fig.header.kind");
  if (GENERATE(false, true)) held.click("fig.header.kind");
  std::istringstream lines(held.text().substr(held.copied.find('\n') + 1));
  std::string kind;
  size_t row, last = 0, checked = 0;
  while (lines >> kind >> row) {
    if (checked++ > 0 && row % 3 == last % 3) CHECK(row > last);
    last = row;
  }
  CHECK(checked == 1000);
}

TEST_CASE("Ctrl+C copies what is shown; another version of the rows is sorted anew") {
  HeldTable held(kFour);
  held.point_at("fig");
  held.press(ui::Key::kC, true);
  CHECK(held.copied.starts_with("tensor\tbytes (MiB)\tkind\nb\t10\tfirst\n"));
  held.copied.clear();
  held.mouse_to(ImVec2(-5, -5)), held.frames(2);
  held.press(ui::Key::kC, true);
  CHECK(held.copied.empty());
  figure::Table table{{{"n", "", true}}, {{{"2", 2}}, {{"1", 1}}}};
  HeldTable sorted(table);
  sorted.click("fig.header.n");
  CHECK(sorted.text() == "n\n1\n2\n");
  table.rows[0][0] = {"0", 0};
  sorted.value = table, ++sorted.options.version;
  CHECK(sorted.text() == "n\n0\n1\n");
}

TEST_CASE("the row below the mouse is told, a cut cell shown whole; a matrix is drawn as what fits") {
  figure::Table table = kFour;
  table.rows[1][2].text = std::string(300, 'w');
  HeldTable held(table);
  held.click("fig.header.tensor");
  const ui::Item* title = ui::find_item("fig.header.kind");
  const int before = ImGui::GetDrawData()->CmdListsCount;
  held.mouse_to(ImVec2(title->min.x + 30, title->max.y + 16));
  held.frames(20);
  CHECK(held.state("hovered") == "1");
  CHECK(ImGui::GetDrawData()->CmdListsCount == before + 1);
  CHECK(held.faults() == "");
  CHECK(Shown(large_matrix(1000, 1000)).vertices() < 60000);
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

TEST_CASE("a number that is too wide for its cell loses decimals first, a square comes after them") {
  figure::Matrix matrix = large_matrix(1, 22);
  matrix.unit.clear();
  for (figure::MatrixCell& cell : matrix.cells) cell.value = 0.25;
  matrix.cells[0].value = 12345;
  matrix.cells[1].value = 144;
  matrix.least = 0, matrix.most = 1;
  const Shown shown(matrix);
  const std::string text = test::drawn_text();
  CHECK(text.find("144") != std::string::npos);
  CHECK(text.find("144.00") == std::string::npos);
  CHECK(text.find("0.25") != std::string::npos);
  CHECK(text.find("12345") == std::string::npos);
}

TEST_CASE("the alarm's colour is a wrong cell's alone, and a larger value has a shade of its own") {
  // The colour of the rectangle that fills a marked item.
  const auto fill_of = [](const std::string& name) {
    const ui::Item* item = ui::find_item(name);
    const ImDrawData* data = ImGui::GetDrawData();
    for (int l = 0; item != nullptr && l < data->CmdListsCount; ++l)
      for (const ImDrawVert& v : data->CmdLists[l]->VtxBuffer)
        if (v.pos.x == item->min.x && v.pos.y == item->min.y) return v.col;
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
