#include <sstream>

#include "cases.h"
#include "ringside/lesson/tr.h"

namespace ringside::shared_memory {
namespace {

using namespace figure;

const Nothing kNoCase{tr("The first pair is being made.")};

// Of the case that the instant lies in; none before the first.
std::optional<CaseRow> case_at(const FigureInput& input) {
  std::optional<CaseRow> last;
  if (input.section == nullptr) return last;
  for (const RowEvent* row : input.section->rows_of(CaseRow::kTable))
    if (row->time_ns <= input.time_ns) last = row_as<CaseRow>(*row);
  return last;
}

Names cells_in(const std::string& text) {
  Names cells;
  std::istringstream in(text);
  for (std::string cell; std::getline(in, cell, '|');) cells.push_back(cell);
  return cells;
}

// Each tensor's memory, cell under cell: which of its elements lies there. A cell of both is green.
Value cells(const FigureInput& input) {
  const auto one = case_at(input);
  if (!one) return kNoCase;
  const auto row = [&](const char* name, Ink own, const Names& cells, const Names& others,
                       const std::string& word) {
    BoxRow boxes{name, {}, word};
    for (size_t i = 0; i < cells.size(); ++i) {
      const bool used = !cells[i].empty(), both = used && one->one_memory && !others[i].empty();
      boxes.boxes.push_back({cells[i], both ? Ink::kActivations : used ? own : Ink::kOther, 1, used});
    }
    if (cells.empty()) boxes.boxes.push_back({tr("no byte"), Ink::kOther, 1, false});
    return boxes;
  };
  const Names a = cells_in(one->cells_a), b = cells_in(one->cells_b);
  return Boxes{{row("a", Ink::kParameters, a, b, one->a), row("b", Ink::kGradients, b, a, one->b)}};
}

std::string cells_sentence(const FigureInput& input) {
  const auto one = case_at(input);
  if (!one) return "";
  if (one->shared > 0 && !one->one_storage)
    return tr("{}: {} bytes in both, through two storages.", one->name, one->shared);
  if (one->shared > 0) return tr("{}: {} bytes in both.", one->name, one->shared);
  if (one->one_storage) return tr("{}: one storage, and no byte in both.", one->name);
  return tr("{}: no byte in both.", one->name);
}

MatrixCell cell_of(const AnswerRow& answer) {
  using enum MatrixCell::State;
  if (!answer.asked) return {kEmpty, kNone, "", tr("It needs both tensors, and a is gone.")};
  if (answer.wrong()) return {kWrong, kNone, answer.missed() ? tr("miss") : tr("false")};
  return {kSame, kNone, answer.says ? tr("yes") : tr("no")};
}

Value verdicts(const FigureInput& input) {
  Matrix matrix;
  matrix.row_name = tr("pair");
  matrix.column_name = tr("test");
  for (const AnswerRow& answer : rows_of<AnswerRow>(input.trace)) {
    if (matrix.rows.empty() || matrix.rows.back() != answer.name) matrix.rows.push_back(answer.name);
    if (matrix.rows.size() == 1) matrix.columns.push_back(answer.test);
    matrix.cells.push_back(cell_of(answer));
  }
  if (matrix.rows.empty()) return kNoCase;
  matrix.cells.resize(matrix.rows.size() * matrix.columns.size());  // the last case may be on its way
  return matrix;
}

Value wrong_answers(const FigureInput& input) {
  if (rows_of<AnswerRow>(input.trace).empty()) return kNoCase;
  Bars bars;
  bars.value.name = tr("wrong answers");
  bars.parts = {{tr("missed"), Ink::kParameters}, {tr("false alarm"), Ink::kGradients}};
  for (const Test& test : all_tests()) {
    const auto missed = static_cast<double>(cases_where(input.trace, test.name, &AnswerRow::missed).size());
    const auto alarms =
        static_cast<double>(cases_where(input.trace, test.name, &AnswerRow::false_alarm).size());
    bars.rows.push_back({test.name, {missed, alarms}});
  }
  return bars;
}

Value layouts(const FigureInput& input) {
  const auto current = case_at(input);
  if (!current) return kNoCase;
  Table table{{{tr("pair")}, {"a"}, {"b"}, {"b - a"}, {tr("storage")}, {tr("shared"), "", true}}, {}};
  for (const CaseRow& row : rows_of<CaseRow>(input.trace)) {
    if (row.name == current->name) table.lit = {table.rows.size()};
    table.rows.push_back(
        {{row.name}, {row.a}, {row.b}, {row.apart}, {row.one_storage ? tr("one") : tr("two")}});
    table.rows.back().push_back({tr("{} B", row.shared), static_cast<double>(row.shared)});
  }
  return table;
}

FigureSpec spec(std::string id, std::string title, Value (*value)(const FigureInput&)) {
  return {.id = std::move(id), .title = std::move(title), .value = value};
}

}  // namespace

std::vector<FigureSpec> figures() {
  std::vector<FigureSpec> all = {spec("cells", tr("Which element of a and of b lies in which cell?"), cells),
                                 spec("verdicts", tr("Does each test say that they share memory?"), verdicts),
                                 spec("wrong", tr("How often is each test wrong?"), wrong_answers),
                                 spec("layouts", tr("Sizes by strides at an offset"), layouts)};
  for (const size_t i : {0, 3}) all[i].sentence = cells_sentence, all[i].follows_playhead = true;
  for (const size_t i : {1, 2}) all[i].answers = {"data_ptr_wrong", "never_wrong"};
  return all;
}

std::vector<Readout> readouts(const FigureInput& input) {
  const auto one = case_at(input);
  if (!one) return {};
  return {{tr("bytes in both"), std::to_string(one->shared)}, {"data_ptr: b - a", one->apart}};
}

}  // namespace ringside::shared_memory
