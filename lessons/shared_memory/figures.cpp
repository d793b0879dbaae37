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

std::vector<std::string> cells_in(const std::string& text) {
  std::vector<std::string> cells;
  std::istringstream in(text);
  for (std::string cell; std::getline(in, cell, '|');) cells.push_back(cell);
  return cells;
}

// Each tensor's memory, cell under cell: which of its elements lies there. A cell of both is green.
Value cells(const FigureInput& input) {
  const auto one = case_at(input);
  if (!one) return kNoCase;
  const std::vector<std::string> of_a = cells_in(one->cells_a), of_b = cells_in(one->cells_b);
  const auto row = [&](const char* name, Ink own, const auto& cells, const auto& others,
                       const std::string& word) {
    BoxRow boxes{name, {}, word};
    for (size_t i = 0; i < cells.size(); ++i) {
      const bool used = !cells[i].empty(), both = used && one->one_memory && !others[i].empty();
      boxes.boxes.push_back({cells[i], both ? Ink::kActivations : used ? own : Ink::kOther, 1, used});
    }
    if (cells.empty()) boxes.boxes.push_back({tr("no byte"), Ink::kOther, 1, false});
    return boxes;
  };
  return Boxes{
      {row("a", Ink::kParameters, of_a, of_b, one->a), row("b", Ink::kGradients, of_b, of_a, one->b)}};
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
  if (answer.wrong()) return {kWrong, kNone, answer.missed() ? tr("missed") : tr("false")};
  return {kSame, kNone, answer.says ? tr("yes") : tr("no")};
}

Value verdicts(const FigureInput& input) {
  Matrix matrix{tr("pair"), tr("test")};
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
  Bars bars{{tr("wrong answers")}, {{tr("missed"), Ink::kParameters}, {tr("false alarm"), Ink::kGradients}}};
  for (const Test& test : all_tests()) {
    const auto missed = cases_where(input.trace, test.name, &AnswerRow::missed);
    const auto alarms = cases_where(input.trace, test.name, &AnswerRow::false_alarm);
    if (!missed) return kNoCase;
    bars.rows.push_back({test.name,
                         {static_cast<double>(missed->size()), static_cast<double>(alarms->size())},
                         std::to_string(missed->size() + alarms->size())});
  }
  return bars;
}

Value layouts(const FigureInput& input) {
  const auto current = case_at(input);
  if (!current) return kNoCase;
  Table table{{{tr("pair")}, {"a"}, {"b"}, {"b - a"}, {tr("one storage")}, {tr("shared"), "bytes", true}},
              {}};
  for (const CaseRow& row : rows_of<CaseRow>(input.trace)) {
    if (row.name == current->name) table.lit = {table.rows.size()};
    table.rows.push_back({{row.name},
                          {row.a},
                          {row.b},
                          {row.apart},
                          {row.one_storage ? tr("yes") : tr("no")},
                          {std::to_string(row.shared), static_cast<double>(row.shared)}});
  }
  return table;
}

}  // namespace

std::optional<std::vector<std::string>> cases_where(const Trace& trace, const std::string& test,
                                                    bool (AnswerRow::*holds)() const) {
  std::optional<std::vector<std::string>> names;
  for (const AnswerRow& answer : rows_of<AnswerRow>(trace)) {
    if (answer.test != test) continue;
    if (!names) names.emplace();
    if ((answer.*holds)()) names->push_back(answer.name);
  }
  return names;
}

std::vector<FigureSpec> figures() {
  const std::vector<std::string> asked = {"data_ptr_wrong", "never_wrong"};
  return {{"cells", tr("Which element of a and of b lies in which cell?"), cells, cells_sentence, "", true},
          {"verdicts", tr("Does each test say that they share memory?"), verdicts, {}, "", false, asked},
          {"wrong", tr("How often is each test wrong?"), wrong_answers, {}, "", false, asked},
          {"layouts", tr("Sizes, strides and offsets"), layouts, cells_sentence, "", true}};
}

std::vector<Readout> readouts(const FigureInput& input) {
  const auto one = case_at(input);
  if (!one) return {};
  return {{tr("bytes in both"), std::to_string(one->shared)}, {"data_ptr: b - a", one->apart}};
}

}  // namespace ringside::shared_memory
