// Do two tensors share memory? What becomes of the tests that people give.

#include "embedded.h"
#include "rows.h"

namespace ringside::lessons::shared_memory {
namespace {

using namespace figure;

constexpr char kShifted[] = "x & x[1:]", kEmpty[] = "empty(0) & empty(0)", kTransposed[] = "m & t",
               kInterleaved[] = "x[::2] & x[1::2]";

// The tests, as the first pair was tested.
Words tests(const Trace& trace) {
  return values_of(rows_of<AnswerRow>(trace, row_of<AnswerRow>(trace).name), &AnswerRow::test);
}

using IsWrong = bool (AnswerRow::*)() const;
// The pairs of which the test is wrong so.
Words pairs_of(const Trace& trace, const std::string& test, IsWrong is_wrong = &AnswerRow::wrong) {
  Words pairs;
  for (const AnswerRow& row : rows_where<AnswerRow>(trace, having(&AnswerRow::test, test)))
    if ((row.*is_wrong)()) pairs.push_back(row.name);
  return pairs;
}

Words never_wrong(const Trace& trace) {
  Words never = tests(trace);
  std::erase_if(never, [&](const std::string& test) { return !pairs_of(trace, test).empty(); });
  return never;
}

// Of the pairs that are asked about, those that data_ptr judges wrongly.
std::optional<Words> wrong_pairs(const Trace& trace) {
  const Words wrong = pairs_of(trace, "data_ptr");
  Words found = {kShifted, kEmpty, kTransposed, kInterleaved};
  std::erase_if(found, [&](const std::string& pair) { return std::ranges::count(wrong, pair) == 0; });
  return found;
}

GaugeOf wrong_verdicts(const char* test) {
  return {test, [test](const Trace& trace) { return double(pairs_of(trace, test).size()); }};
}

ClaimOf never(std::string id, std::string test, IsWrong is_wrong) {
  return {std::move(id), [=](const Trace& trace) {
            const Words pairs = pairs_of(trace, test, is_wrong);
            if (pairs.empty()) return holds_if(true, tr("true of every pair"));
            return holds_if(false, tr("not true of {} pairs: {}", pairs.size(), fmt::join(pairs, "; ")));
          }};
}

// Of the pair that the instant lies in.
CaseRow case_at(const FigureInput& input) { return needed(last_row<CaseRow>(input.section, input.time_ns)); }

// Each tensor's memory, cell under cell: which of its elements lies there. A cell of both is green.
Value cells(const FigureInput& input) {
  const CaseRow one = case_at(input);
  const size_t and_at = one.name.find(" & ");
  Boxes boxes{{{"a: " + one.name.substr(0, and_at), {}, one.a},
               {"b: " + one.name.substr(std::min(and_at + 3, one.name.size())), {}, one.b}}};
  auto &a = boxes.rows[0].boxes, &b = boxes.rows[1].boxes;
  for (const CellRow& cell : rows_of<CellRow>(input.trace, one.name)) {
    const bool of_a = cell.tensor == "a", used = !cell.elements.empty();
    const Ink own = of_a ? Ink::kParameters : Ink::kGradients;
    (of_a ? a : b).push_back({cell.elements, used ? own : Ink::kOther, 1, used});
  }
  for (size_t i = 0; one.one_memory && i < std::min(a.size(), b.size()); ++i)
    if (a[i].filled && b[i].filled) a[i].ink = b[i].ink = Ink::kActivations;
  for (auto* row : {&a, &b})
    if (row->empty()) row->push_back({tr("no byte"), Ink::kOther, 1, false});
  return boxes;
}

std::string cells_sentence(const FigureInput& input) {
  const CaseRow one = case_at(input);
  if (one.shared > 0 && !one.one_storage)
    return tr("{}: {} bytes in both, through two storages.", one.name, one.shared);
  if (one.shared > 0) return tr("{}: {} bytes in both.", one.name, one.shared);
  return one.one_storage ? tr("{}: one storage, and no byte in both.", one.name)
                         : tr("{}: no byte in both.", one.name);
}

MatrixCell cell_of(const AnswerRow& answer) {
  using enum MatrixCell::State;
  if (!answer.asked) return {kEmpty, kNone, "", tr("It needs both tensors, and a is gone.")};
  if (answer.wrong()) return {kWrong, kNone, answer.missed() ? tr("miss") : tr("false")};
  return {kSame, kNone, answer.says ? tr("yes") : tr("no")};
}

Value verdicts(const FigureInput& input) {
  Matrix matrix{tr("pair"), tr("test"), {}, {}, tests(input.trace), {}};
  for (const AnswerRow& answer : rows_in<AnswerRow>(input.trace)) {
    if (matrix.rows.empty() || matrix.rows.back() != answer.name) matrix.rows.push_back(answer.name);
    matrix.cells.push_back(cell_of(answer));
  }
  matrix.cells.resize(matrix.rows.size() * matrix.columns.size());  // the last case may be on its way
  return matrix;
}

Value wrong_answers(const FigureInput& input) {
  Bars bars{
      {tr("wrong answers")}, {{tr("missed"), Ink::kParameters}, {tr("false alarm"), Ink::kGradients}}, {}};
  for (const std::string& test : tests(input.trace))
    bars.rows.push_back({test,
                         {double(pairs_of(input.trace, test, &AnswerRow::missed).size()),
                          double(pairs_of(input.trace, test, &AnswerRow::false_alarm).size())}});
  return bars;
}

std::vector<Attribute> wrong_sentence(const FigureInput& input) {
  const auto wrong = [&](const std::string& test) { return pairs_of(input.trace, test).size(); };
  const std::string best = std::ranges::min(tests(input.trace), {}, wrong);
  return {wrong("data_ptr"), rows_in<CaseRow>(input.trace).size(), best, wrong(best)};
}

Value layouts(const FigureInput& input) {
  return table_of_rows(input.trace, CaseRow::kTable, {"pair", "a", "b", "b - a", "one storage", "shared"},
                       "pair = " + case_at(input).name);
}

}  // namespace

Lesson make_lesson() {
  const auto by_bytes = [](const Config& config) { return config.text("truth") == "bytes"; };
  const auto right_pairs = [=](const Config& config) {
    return by_bytes(config) ? Words{kShifted, kEmpty} : Words{kShifted, kEmpty, kInterleaved};
  };
  const auto right_test = [=](const Config& of) { return Words{by_bytes(of) ? "exact" : "is_alias_of"}; };
  return lesson_of(
      embedded("texts.inc"),
      {.run = run,
       .questions = {{"data_ptr_wrong", wrong_pairs, right_pairs}, {"never_wrong", never_wrong, right_test}},
       .claims = {never("enough", "data_ptr", &AnswerRow::false_alarm),
                  never("needed", "data_ptr", &AnswerRow::missed),
                  never("alias", "is_alias_of", &AnswerRow::wrong),
                  never("write", "write all", &AnswerRow::wrong),
                  never("extent", "extent", &AnswerRow::missed), never("exact", "exact", &AnswerRow::wrong)},
       .figures = {{"wrong", wrong_answers, wrong_sentence},
                   {"cells", cells, cells_sentence},
                   {"verdicts", verdicts},
                   {"layouts", layouts, cells_sentence}},
       .gauges = {wrong_verdicts("is_alias_of"), wrong_verdicts("exact")}});
}

}  // namespace ringside::lessons::shared_memory
