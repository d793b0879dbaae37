#include <fmt/format.h>

#include <algorithm>

#include "panel_parts.h"

namespace ringside::zero_panel {
namespace {

struct Cell {
  double step = 0;  // of the first difference; 0: every bit equal
  std::string where;
};
struct Matrix {
  std::vector<std::string> rows, columns;
  std::map<std::pair<size_t, size_t>, Cell> cells;
};

size_t place_of(std::vector<std::string>& names, const std::string& name) {
  const auto found = std::find(names.begin(), names.end(), name);
  if (found != names.end()) return static_cast<size_t>(found - names.begin());
  names.push_back(name);
  return names.size() - 1;
}

// "N=4 stage 2 bucket default overlap on" -> column "N=4 stage 2", row "bucket default overlap on".
std::pair<std::string, std::string> cut(const std::string& label) {
  const size_t stage = label.find(" stage ");
  if (stage == std::string::npos) {
    const size_t blank = label.find(' ');
    return {label.substr(0, blank), label.substr(blank + 1)};
  }
  const size_t end = label.find(' ', stage + 7);
  return {label.substr(0, end), end == std::string::npos ? "" : label.substr(end + 1)};
}

void read(const Trace& trace, const std::string& name, const std::string& suffix, Matrix& matrix) {
  const SectionView* section = trace.find(name);
  if (section == nullptr || section->ranks() == 0) return;
  for (const ScalarEvent& event : section->scalars(0)) {
    const auto [column, row] = cut(trace.name(event.name));
    Cell& cell = matrix.cells[{place_of(matrix.rows, row + suffix), place_of(matrix.columns, column)}];
    cell.step = event.value;
    for (const NoteEvent& note : section->notes(0)) {
      if (note.name == event.name) cell.where = trace.name(note.unit);
    }
  }
}

// Where all columns are of one number of ranks, it need not stand over each.
void shorten(std::vector<std::string>& columns) {
  if (columns.empty()) return;
  const std::string ranks = columns.front().substr(0, columns.front().find(' '));
  for (const std::string& column : columns) {
    if (!column.starts_with(ranks)) return;
  }
  for (std::string& column : columns) column = column == ranks ? "naive" : column.substr(ranks.size() + 1);
}

}  // namespace

void Bits::draw(View& view, ImVec2 size) {
  Matrix matrix;
  read(view.trace, "proof", "", matrix);
  read(view.trace, "order of sums", ", added in the other order", matrix);
  shorten(matrix.columns);
  if (matrix.rows.empty()) {
    ui::paragraph(
        view.config.text("proof") == "off"
            ? "proof=off: this run compares no bits. Set proof to own."
            : "The last part of a run trains small models in fp32 and compares every bit with one process. "
              "It is still to come.",
        ui::colours().dim);
    return;
  }
  const auto cell_at = [&](int row, int column) {
    const auto found = matrix.cells.find({static_cast<size_t>(row), static_cast<size_t>(column)});
    if (found == matrix.cells.end()) return ui::HeatCell{};
    // A difference that the order of sums explains is no alarm: it is the lesson.
    const bool expected = matrix.rows[static_cast<size_t>(row)].ends_with("other order");
    ui::HeatCell cell = found->second.step == 0 ? ui::HeatCell::same()
                        : expected              ? ui::HeatCell::different()
                                                : ui::HeatCell::wrong();
    cell.detail = found->second.step == 0 ? "every bit equals one process that emulates the ranks"
                                          : "first difference: " + found->second.where;
    return cell;
  };
  const float above = ImGui::GetCursorPosY();
  ui::paragraph(
      "= : after the last of its steps every bit equals one process that emulates the ranks. ≠ : where they "
      "part, "
      "and why, stands under the mouse.",
      ui::colours().dim, ui::Type::kLabel);
  size.y -= ImGui::GetCursorPosY() - above;
  map_.draw("bits", size, matrix.rows, matrix.columns, cell_at, {});
}

}  // namespace ringside::zero_panel
