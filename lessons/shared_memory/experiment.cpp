// Do two tensors share memory? What becomes of the tests that people give.

#include "embedded.h"
#include "rows.h"

namespace ringside::lessons::shared_memory {
namespace {

using namespace figure;

constexpr char kShifted[] = "x & x[1:]", kEmpty[] = "empty(0) & empty(0)", kTransposed[] = "m & t",
               kInterleaved[] = "x[::2] & x[1::2]";

// The pairs of which a test is wrong.
struct Tally {
  std::string test;
  Words missed = {}, alarms = {}, wrong = {};
};
std::vector<Tally> tallies(const Trace& trace) {
  std::vector<Tally> all;
  for (const AnswerRow& answer : rows_in<AnswerRow>(trace)) {
    auto found = std::ranges::find(all, answer.test, &Tally::test);
    if (found == all.end()) found = all.insert(found, {answer.test});
    if (answer.missed()) found->missed.push_back(answer.name);
    if (answer.false_alarm()) found->alarms.push_back(answer.name);
    if (answer.wrong()) found->wrong.push_back(answer.name);
  }
  return all;
}
Tally tally_of(const Trace& trace, const std::string& test) {
  for (const Tally& one : tallies(trace))
    if (one.test == test) return one;
  return {};
}

Words never_wrong(const Trace& trace) {
  Words names;
  for (const Tally& one : tallies(trace))
    if (one.wrong.empty()) names.push_back(one.test);
  return names;
}

// Of the pairs that are asked about, those that data_ptr judges wrongly.
std::optional<Words> wrong_pairs(const Trace& trace) {
  const Words wrong = tally_of(trace, "data_ptr").wrong;
  Words found;
  for (const char* pair : {kShifted, kEmpty, kTransposed, kInterleaved})
    if (std::ranges::find(wrong, pair) != wrong.end()) found.push_back(pair);
  return rows_in<AnswerRow>(trace).empty() ? std::nullopt : std::optional(found);
}

std::function<double(const Trace&)> wrong_verdicts(const std::string& test) {
  return [test](const Trace& trace) { return double(tally_of(trace, test).wrong.size()); };
}

ClaimOf never(std::string id, std::string test, Words Tally::*wrong) {
  return {std::move(id), [=](const Trace& trace) {
            const Words pairs = tally_of(trace, test).*wrong;
            if (pairs.empty()) return holds_if(true, tr("true of every pair"));
            return holds_if(false, tr("not true of {} pairs: {}", pairs.size(), fmt::join(pairs, "; ")));
          }};
}

// Of the pair that the instant lies in.
CaseRow case_at(const FigureInput& input) { return needed(last_row<CaseRow>(input.section, input.time_ns)); }

// Each tensor's memory, cell under cell: which of its elements lies there. A cell of both is green.
Value cells(const FigureInput& input) {
  const CaseRow one = case_at(input);
  Boxes boxes{{{"a", {}, one.a}, {"b", {}, one.b}}};
  auto &a = boxes.rows[0].boxes, &b = boxes.rows[1].boxes;
  for (const CellRow& cell : rows_in<CellRow>(input.section, input.time_ns)) {
    if (cell.name != one.name) continue;
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
  Matrix matrix{tr("pair"), tr("test"), {}, {}, {}, {}};
  for (const AnswerRow& answer : rows_in<AnswerRow>(input.trace)) {
    if (matrix.rows.empty() || matrix.rows.back() != answer.name) matrix.rows.push_back(answer.name);
    if (matrix.rows.size() == 1) matrix.columns.push_back(answer.test);
    matrix.cells.push_back(cell_of(answer));
  }
  matrix.cells.resize(matrix.rows.size() * matrix.columns.size());  // the last case may be on its way
  return matrix;
}

Value wrong_answers(const FigureInput& input) {
  Bars bars{
      {tr("wrong answers")}, {{tr("missed"), Ink::kParameters}, {tr("false alarm"), Ink::kGradients}}, {}};
  for (const Tally& one : tallies(input.trace))
    bars.rows.push_back({one.test, {double(one.missed.size()), double(one.alarms.size())}});
  return bars;
}

std::string wrong_sentence(const FigureInput& input) {
  const Tally best =
      std::ranges::min(needed(tallies(input.trace)), {}, [](const Tally& one) { return one.wrong.size(); });
  return tr("Equal data_ptr is wrong for {} of {} pairs; the best test, {}, for {}.",
            tally_of(input.trace, "data_ptr").wrong.size(), rows_in<CaseRow>(input.trace).size(), best.test,
            best.wrong.size());
}

Value layouts(const FigureInput& input) {
  const CaseRow current = case_at(input);
  return table_of_rows(input.trace, CaseRow::kTable, {"pair", "a", "b", "b - a", "one storage", "shared"},
                       current.name);
}

std::vector<Readout> readouts(const FigureInput& input) {
  const CaseRow one = case_at(input);
  return {{tr("{}: bytes in both", one.name), std::to_string(one.shared)},
          {tr("{}: data_ptr, b - a", one.name), one.apart}};
}

}  // namespace

Lesson make_lesson() {
  const auto by_bytes = [](const Config& config) { return config.text("truth") == "bytes"; };
  const auto right_pairs = [=](const Config& config) {
    return by_bytes(config) ? Words{kShifted, kEmpty} : Words{kShifted, kEmpty, kInterleaved};
  };
  const auto right_tests = [=](const Config& config) {
    return Words{by_bytes(config) ? "exact" : "is_alias_of"};
  };
  return lesson_of(
      embedded("texts.inc"),
      {.run = run,
       .questions = {{"data_ptr_wrong", wrong_pairs, right_pairs}, {"never_wrong", never_wrong, right_tests}},
       .claims = {never("enough", "data_ptr", &Tally::alarms), never("needed", "data_ptr", &Tally::missed),
                  never("alias", "is_alias_of", &Tally::wrong), never("write", "write all", &Tally::wrong),
                  never("extent", "extent", &Tally::missed), never("exact", "exact", &Tally::wrong)},
       .figures = {{"wrong", wrong_answers, wrong_sentence},
                   {"cells", cells, cells_sentence},
                   {"verdicts", verdicts},
                   {"layouts", layouts, cells_sentence}},
       .gauges = {{"is_alias_of", wrong_verdicts("is_alias_of")}, {"exact", wrong_verdicts("exact")}},
       .readouts = readouts});
}

}  // namespace ringside::lessons::shared_memory
