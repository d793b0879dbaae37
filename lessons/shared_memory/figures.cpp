#include "cases.h"
#include "ringside/lesson/figure_forms.h"
#include "ringside/lesson/tr.h"

namespace ringside::shared_memory {
namespace {

using namespace figure;

const Nothing kNoCase{tr("The first pair is being made.")};

// Of the case that the instant lies in; none before the first.
std::optional<CaseRow> case_at(const FigureInput& input) {
  const auto until = rows_in<CaseRow>(input.section, input.time_ns);
  return until.empty() ? std::nullopt : std::optional(until.back());
}

// Each tensor's memory, cell under cell: which of its elements lies there. A cell of both is green.
Value cells(const FigureInput& input) {
  const auto one = case_at(input);
  if (!one) return kNoCase;
  Boxes boxes{{{"a", {}, one->a}, {"b", {}, one->b}}};
  for (const CellRow& cell : rows_in<CellRow>(input.section, input.time_ns))
    if (cell.name == one->name) {
      const Ink own = cell.tensor == "a" ? Ink::kParameters : Ink::kGradients;
      const bool used = !cell.elements.empty();
      boxes.rows[cell.tensor == "a" ? 0 : 1].boxes.push_back(
          {cell.elements, used ? own : Ink::kOther, 1, used});
    }
  auto &a = boxes.rows[0].boxes, &b = boxes.rows[1].boxes;
  for (size_t i = 0; one->one_memory && i < std::min(a.size(), b.size()); ++i)
    if (a[i].filled && b[i].filled) a[i].ink = b[i].ink = Ink::kActivations;
  for (auto* row : {&a, &b})
    if (row->empty()) row->push_back({tr("no byte"), Ink::kOther, 1, false});
  return boxes;
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
  for (const AnswerRow& answer : rows_in<AnswerRow>(input.trace)) {
    if (matrix.rows.empty() || matrix.rows.back() != answer.name) matrix.rows.push_back(answer.name);
    if (matrix.rows.size() == 1) matrix.columns.push_back(answer.test);
    matrix.cells.push_back(cell_of(answer));
  }
  if (matrix.rows.empty()) return kNoCase;
  matrix.cells.resize(matrix.rows.size() * matrix.columns.size());  // the last case may be on its way
  return matrix;
}

Value wrong_answers(const FigureInput& input) {
  if (rows_in<AnswerRow>(input.trace).empty()) return kNoCase;
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

std::string wrong_sentence(const FigureInput& input) {
  std::string best;
  size_t least = SIZE_MAX, pairs = rows_in<CaseRow>(input.trace).size();
  const auto wrong = [&](const std::string& test) {
    return cases_where(input.trace, test, &AnswerRow::wrong).size();
  };
  for (const Test& test : all_tests())
    if (wrong(test.name) < least) least = wrong(test.name), best = test.name;
  if (pairs == 0) return "";
  return tr("Equal data_ptr is wrong for {} of {} pairs; the best test, {}, for {}.", wrong("data_ptr"),
            pairs, best, least);
}

Value layouts(const FigureInput& input) {
  const auto current = case_at(input);
  if (!current) return kNoCase;
  return table_of_rows(input.trace, CaseRow::kTable, {"pair", "a", "b", "b - a", "one storage", "shared"},
                       current->name);
}

}  // namespace

std::vector<FigureSpec> figures() {
  const std::vector<std::string> both = {"data_ptr_wrong", "never_wrong"};
  FigureSpec first = figure_of_run("wrong", tr("How often is each test wrong?"), wrong_answers, both);
  first.sentence = wrong_sentence;
  return with_tabs(
      {first,
       figure_of_instant("cells", tr("Which element of a and of b lies in which cell?"), cells,
                         cells_sentence),
       figure_of_run("verdicts", tr("Does each test say that they share memory?"), verdicts, both),
       figure_of_instant("layouts", tr("Sizes by strides at an offset"), layouts, cells_sentence)},
      {tr("wrong tests"), tr("cells"), tr("verdicts"), tr("layouts")});
}

std::vector<Readout> readouts(const FigureInput& input) {
  const auto one = case_at(input);
  if (!one) return {};
  return {{tr("bytes in both"), std::to_string(one->shared)}, {"data_ptr: b - a", one->apart}};
}

}  // namespace ringside::shared_memory
