#include <fmt/format.h>

#include <algorithm>

#include "panel_parts.h"

namespace ringside::zero_panel {
namespace {

using zero_lesson::ProofCase;

struct Cell {
  ProofCase proof;
  bool expected = false;  // a difference here is explained by the order of sums: no alarm, but the lesson
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

std::vector<Cell> cells_of(const Trace& trace) {
  std::vector<Cell> cells;
  for (const auto& [name, expected] :
       {std::pair(zero_lesson::kProofSection, false), {zero_lesson::kOrderSection, true}}) {
    const SectionView* section = trace.find(name);
    if (section == nullptr) continue;
    for (ProofCase& one : rows_as<ProofCase>(*section)) cells.push_back({std::move(one), expected});
  }
  return cells;
}

Matrix matrix_of(const Trace& trace) {
  const std::vector<Cell> cells = cells_of(trace);
  // Where all columns are of one number of ranks, it need not stand over each.
  const bool one_world = std::all_of(cells.begin(), cells.end(), [&](const Cell& cell) {
    return cell.proof.ranks == cells.front().proof.ranks;
  });
  Matrix matrix;
  for (const Cell& cell : cells) {
    const std::string& stage = cell.proof.stage;
    std::string column = stage.empty() ? "naive" : stage;
    if (!one_world) column = fmt::format("N={}{}{}", cell.proof.ranks, stage.empty() ? "" : " ", stage);
    const std::string row = cell.proof.setup + (cell.expected ? ", added in the other order" : "");
    matrix.cells[{place_of(matrix.rows, row), place_of(matrix.columns, column)}] = cell;
  }
  return matrix;
}

}  // namespace

void Bits::draw(View& view, ImVec2 size) {
  const Matrix matrix = matrix_of(view.trace);
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
    const auto& [proof, expected] = found->second;
    ui::HeatCell cell = proof.first_difference == 0 ? ui::HeatCell::same()
                        : expected                  ? ui::HeatCell::different()
                                                    : ui::HeatCell::wrong();
    cell.detail = proof.first_difference == 0 ? "every bit equals one process that emulates the ranks"
                                              : "first difference: " + proof.where;
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
