// Do two tensors share memory? The tests that people give, tried on pairs whose truth is known.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <map>

#include "cases.h"
#include "ringside/base/error.h"
#include "ringside/lesson/claim_forms.h"
#include "ringside/lesson/parameter_specs.h"
#include "ringside/lesson/question_forms.h"
#include "ringside/lesson/tr.h"

namespace ringside::lessons::shared_memory {
namespace {

using namespace ringside::shared_memory;

// Which elements lie at each byte: the truth is found byte by byte.
using Bytes = std::map<const char*, std::vector<size_t>>;
Bytes bytes_of(const at::Tensor& t) {
  Bytes bytes;
  const std::vector<int64_t> all = places(t);
  for (size_t i = 0; i < all.size(); ++i)
    for (int64_t byte = 0; byte < t.element_size(); ++byte)
      bytes[storage_of(t) + all[i] * t.element_size() + byte].push_back(i);
  return bytes;
}

std::string layout(const at::Tensor& t) {
  return fmt::format("[{}] by [{}] at {}", fmt::join(t.sizes(), ","), fmt::join(t.strides(), ","),
                     t.storage_offset());
}

// Both are seen over one piece of memory where their storages lie in one, each over its own otherwise.
CaseRow look_at(const Case& one, Recorder& recorder) {
  const auto& [name, a, b, a_is_gone] = one;
  const auto end_of = [](const at::Tensor& t) { return storage_of(t) + t.storage().nbytes(); };
  CaseRow row{.name = name, .a = layout(a), .b = layout(b), .apart = tr("elsewhere")};
  row.one_memory = !a_is_gone && storage_of(a) < end_of(b) && storage_of(b) < end_of(a);
  row.one_storage = row.one_memory && a.is_alias_of(b);
  if (row.one_memory && b.numel() > 0)
    row.apart = fmt::format("{:+}", static_cast<char*>(b.data_ptr()) - static_cast<char*>(a.data_ptr()));
  Bytes in_a = bytes_of(a), in_b = bytes_of(b);
  for (const auto& [byte, elements] : in_a) row.shared += row.one_memory && in_b.contains(byte);
  const auto record_cells = [&](const char* which, const at::Tensor& tensor, Bytes& bytes) {
    const char* end = row.one_memory ? std::max(end_of(a), end_of(b)) : end_of(tensor);
    const char* cell = row.one_memory ? std::min(storage_of(a), storage_of(b)) : storage_of(tensor);
    for (; cell < end; cell += std::min(a.element_size(), b.element_size()))
      record_row<CellRow>(recorder, {name, which, fmt::format("{}", fmt::join(bytes[cell], " "))});
  };
  record_cells("a", a, in_a);
  record_cells("b", b, in_b);
  record_row(recorder, row);
  return row;
}

void run(const Config& config, const RunContext& context) {
  Recorder& recorder = *context.store.add_section("pairs", {}, 1).front();
  const std::vector<Case> cases = make_cases(config.integer("columns"));
  int64_t done = 0;
  for (const Case& one : cases) {
    if (!context.control.may_proceed()) throw CancelledError();
    const SpanScope span(recorder, "pair", done, one.name);
    const CaseRow row = look_at(one, recorder);
    const bool truth = config.text("truth") == "storage" ? row.one_storage : row.shared > 0;
    for (const Test& test : all_tests()) {
      const bool asked = !one.a_is_gone || test.of_pointers;
      record_row<AnswerRow>(recorder, {one.name, test.name, asked, asked && test.says(one), truth});
    }
    context.progress({one.name, ++done, static_cast<int64_t>(cases.size())});
  }
}

bool by_bytes(const Config& config) { return config.text("truth") == "bytes"; }

PredictionSpec how_often_data_ptr() {
  return {
      .id = "data_ptr_wrong",
      .question = tr("24 pairs of tensors: for how many is a.data_ptr() == b.data_ptr() the wrong answer?"),
      .unit = tr("pairs"),
      .formula = [](const Config& config) { return by_bytes(config) ? 8 : 12; },
      .wrong = {{tr("equal data_ptr is what sharing means"), always(0.0)},
                {tr("only an offset fools it"), always(1.0)}},
      .measured = [](const Trace& trace) -> std::optional<double> {
        if (rows_in<AnswerRow>(trace).empty()) return std::nullopt;
        return static_cast<double>(cases_where(trace, "data_ptr", &AnswerRow::wrong).size());
      },
      .figure = "cells",
      .name = tr("data_ptr"),
      .board = "tests",
      .why = tr("x[1:] shares memory with x and begins at another byte. And equal pointers may both be null, "
                "or belong "
                "to a block that was freed and given out again."),
      .whole = true};
}

Words never_wrong(const Trace& trace) {  // all tests before the first answer
  Words names;
  for (const Test& test : all_tests())
    if (cases_where(trace, test.name, &AnswerRow::wrong).empty()) names.push_back(test.name);
  return names;
}

PredictionSpec which_are_never_wrong() {
  const Words of_bytes = {"write all", "exact"}, of_storage = {"is_alias_of"};
  return ask(
      "never_wrong", tr("Which of the tests are never wrong?"),
      {.kind = AnswerKind::kChoices,
       .options = never_wrong(Trace()),
       .right_by = [=](const Config& config) { return by_bytes(config) ? of_bytes : of_storage; },
       .wrong = {{tr("shared bytes need a shared storage"), of_bytes},
                 {tr("one storage means shared bytes"), of_storage}},
       .measured = [](const Trace& trace) -> std::optional<Words> {
         if (rows_in<AnswerRow>(trace).empty()) return std::nullopt;
         return never_wrong(trace);
       },
       .figure = "cells",
       .around =
           {tr("never wrong"),
            tr("Whether a byte is in both follows from sizes, strides and offset, and shows when all of "
               "b is written. Whether both hold one storage is what is_alias_of compares."),
            "tests"}});
}

ClaimSpec claim(std::string id, std::string source, std::string statement, std::string test,
                bool (AnswerRow::*wrong)() const) {
  return {id, source, statement, [=](const Trace& trace) -> ClaimResult {
            if (rows_in<AnswerRow>(trace).empty()) return not_testable(tr("no pair was tried"));
            const Names cases = cases_where(trace, test, wrong);
            if (cases.empty()) return holds_if(true, tr("true of every pair"));
            return holds_if(false, tr("not true of {} pairs: {}", cases.size(), fmt::join(cases, "; ")));
          }};
}

Gauge wrong_verdicts(const std::string& test) {
  return {tr("wrong, {}", test), tr("pairs"), [test](const FigureInput& input) -> std::optional<double> {
            if (rows_in<AnswerRow>(input.trace).empty()) return std::nullopt;
            return static_cast<double>(cases_where(input.trace, test, &AnswerRow::wrong).size());
          }};
}

}  // namespace

Lesson make_lesson() {
  Lesson lesson;
  lesson.parameters = {number("columns", "of m, which has 3 rows; x has as many elements", "", "4", 2, 6),
                       choice("truth", "to share: a byte is in both, or both hold one storage", "bytes",
                              {"bytes", "storage"})};
  lesson.predictions = {how_often_data_ptr(), which_are_never_wrong()};
  lesson.claims = {
      claim("enough", "B15", tr("equal data_ptr means shared memory"), "data_ptr", &AnswerRow::false_alarm),
      claim("needed", "B15", tr("shared memory means equal data_ptr"), "data_ptr", &AnswerRow::missed),
      claim("alias", "B15", tr("is_alias_of tells whether tensors share memory"), "is_alias_of",
            &AnswerRow::wrong),
      claim("extent", "numpy.may_share_memory", tr("comparing first and last bytes never misses"), "extent",
            &AnswerRow::missed),
      claim("exact", "numpy.shares_memory", tr("the strides tell, exactly"), "exact", &AnswerRow::wrong)};
  lesson.figures = figures();
  lesson.readouts = readouts;
  lesson.gauges = {wrong_verdicts("is_alias_of"), wrong_verdicts("exact"), wrong_verdicts("data_ptr")};
  lesson.words = {tr("The first pair is being made."), tr("Now go from pair to pair."), tr("pair"), "pair"};
  lesson.run = run;
  return lesson;
}

}  // namespace ringside::lessons::shared_memory
