// A table sorted, copied and with more rows than anybody reads; tests/panel draws it at every size.
#include <catch.h>

#include <sstream>

#include "ringside/widgets/table.h"
#include "windowless.h"

using ringside::test::Windowless;
namespace ui = ringside::ui;
using ui::Table;
using Cell = Table::Cell;

namespace {

const std::vector<Table::Column> kColumns = {{"tensor"}, {"bytes", "MiB", true}, {"kind"}};
const std::vector<std::vector<Cell>> kRows = {
    {{"b", NAN}, {"10", 10}, {"first", NAN}},
    {{"a", NAN}, {"9", 9}, {"second", NAN}},
    {{"c", NAN}, {"—", NAN}, {"a\tthird\n", NAN}},
    {{"a", NAN}, {"100", 100}, {"fourth of a very long kind", NAN}}};

Table::Rows rows_of(const std::vector<std::vector<Cell>>& rows, uint64_t version = 0) {
  return {rows.size(), [&](size_t row, size_t column) { return rows[row][column]; }, version, {}};
}

struct HeldTable : Windowless {
  Table table;
  Table::Drawn drawn;
  std::string copied;
  HeldTable() : Windowless(420, 300) {
    ImGui::GetIO().ClipboardUserData = &copied;
    ImGui::GetIO().SetClipboardTextFn = [](void* to, const char* text) {
      *static_cast<std::string*>(to) = text;
    };
    show([this] { drawn = table.draw("t", ImGui::GetContentRegionAvail(), kColumns, rows_of(kRows)); });
  }
  std::string first_column() {
    std::string out, text = table.tab_separated(kColumns, rows_of(kRows));
    for (size_t at = text.find('\n'); at + 1 < text.size(); at = text.find('\n', at + 1)) out += text[at + 1];
    return out;
  }
};

}  // namespace

TEST_CASE("a million rows are asked for no more cells than ten thousand") {
  const auto asked = [](size_t count) {
    Windowless room(500, 400);
    Table table;
    size_t cells = 0;
    const Table::Rows rows{count,
                           [&](size_t r, size_t) {
                             return ++cells, Cell{std::to_string(r), double(r)};
                           },
                           0,
                           {}};
    for (int i = 0; i < 2; ++i)
      room.in_window([&] { table.draw("t", ImGui::GetContentRegionAvail(), kColumns, rows); });
    cells = 0;
    room.in_window([&] { table.draw("t", ImGui::GetContentRegionAvail(), kColumns, rows); });
    return cells;
  };
  CHECK(asked(1'000'000) == asked(10'000));
  CHECK(asked(10'000) < 200);
}

TEST_CASE("a click on a title sorts, another one reverses, and equal rows keep their order") {
  HeldTable held;
  held.frames(2);
  CHECK(held.first_column() == "baca");
  held.click("t.header.tensor");
  CHECK(held.first_column() == "aabc");
  held.click("t.header.kind");
  CHECK(held.table.sorted_by == 2);
  held.click("t.header.bytes");
  CHECK(held.table.tab_separated(kColumns, rows_of(kRows)) ==
        "tensor\tbytes (MiB)\tkind\na\t9\tsecond\nb\t10\tfirst\na\t100\tfourth of a very long kind\nc\t—\ta "
        "third \n");
  held.click("t.header.bytes");
  CHECK(held.table.descending);
  CHECK(held.first_column() == "abac");  // a cell without a number stays last
  held.table.sorted_by = 0;
  held.frames();
  const std::string text = held.table.tab_separated(kColumns, rows_of(kRows));
  CHECK(text.find("second") < text.find("fourth"));  // reversed, yet stable
}

TEST_CASE("a thousand rows of three kinds keep their order within each kind, both ways") {
  Windowless room(400, 300);
  Table table;
  table.sorted_by = 0;
  table.descending = GENERATE(false, true);
  const auto cell = [](size_t r, size_t c) {
    return c == 0 ? Cell{"kind", double(r % 3)} : Cell{std::to_string(r), NAN};
  };
  const std::string text = table.tab_separated({{"kind", "", true}, {"row"}}, {1000, cell, 0, {}});
  std::istringstream lines(text.substr(text.find('\n') + 1));
  std::string kind;
  size_t row, last = 0, checked = 0;
  while (lines >> kind >> row) {
    if (checked++ > 0 && row % 3 == last % 3) CHECK(row > last);
    last = row;
  }
  CHECK(checked == 1000);
}

TEST_CASE("the button and Ctrl+C copy what is shown") {
  HeldTable held;
  held.frames(2);
  held.click("t.copy");
  CHECK(held.copied.starts_with("tensor\tbytes (MiB)\tkind\nb\t10\tfirst\n"));
  held.copied.clear();
  ui::inject_modifiers(true, false);
  held.key(ui::Key::kC, true), held.frames();
  CHECK(held.copied.starts_with("tensor"));
  held.copied.clear();
  held.key(ui::Key::kC, false);
  held.mouse_to(ImVec2(-5, -5));
  held.frames(2);
  held.key(ui::Key::kC, true), held.frames();
  CHECK(held.copied.empty());
}

TEST_CASE("the row below the mouse is told as the caller counts it") {
  HeldTable held;
  held.table.sorted_by = 0;
  held.frames(2);
  const ui::Item* title = ui::find_item("t.header.tensor");
  held.mouse_to(ImVec2(title->min.x + 4, title->max.y + 16));
  held.frames(2);
  CHECK(held.drawn.hovered == 1);
  held.button(true), held.frames();
  held.button(false), held.frames();
  CHECK(held.drawn.clicked == 1);
}

TEST_CASE("a cell that is cut is shown whole below the mouse") {
  HeldTable held;
  held.mouse_to(ImVec2(-5, -5));
  const std::vector<std::vector<Cell>> rows(
      3,
      {{"a very long name of a tensor that cannot fit here, in no way whatsoever, whatever is tried", NAN}});
  held.show([&] { held.table.draw("t", ImGui::GetContentRegionAvail(), {{"name"}}, rows_of(rows)); });
  held.frames(2);
  const int before = ImGui::GetDrawData()->CmdListsCount;
  const ui::Item* title = ui::find_item("t.header.name");
  held.mouse_to(ImVec2(title->min.x + 30, title->max.y + 14));
  held.frames(20);
  CHECK(ImGui::GetDrawData()->CmdListsCount == before + 1);
  CHECK(held.faults() == "");
}

TEST_CASE("another version of the rows is sorted anew") {
  Windowless room(400, 300);
  Table table;
  table.sorted_by = 0;
  std::vector<std::vector<Cell>> rows = {{{"2", 2}}, {{"1", 1}}};
  const auto text = [&](uint64_t version) {
    return table.tab_separated({{"n", "", true}}, rows_of(rows, version));
  };
  CHECK(text(0) == "n\n1\n2\n");
  rows[0][0] = {"0", 0};
  CHECK(text(1) == "n\n0\n1\n");
}
