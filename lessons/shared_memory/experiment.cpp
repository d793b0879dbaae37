// Do two tensors share memory? The tests that people give, tried on pairs whose truth is known.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>

#include "cases.h"
#include "ringside/base/error.h"
#include "ringside/lesson/lesson.h"
#include "ringside/lesson/parameter_specs.h"
#include "ringside/lesson/tr.h"

namespace ringside::lessons::shared_memory {
namespace {

using namespace ringside::shared_memory;

// The truth, byte by byte: which elements lie there.
using Bytes = std::map<const char*, std::vector<size_t>>;
Bytes bytes_of(const at::Tensor& tensor) {
  Bytes bytes;
  const std::vector<int64_t> all = places(tensor);
  for (size_t element = 0; element < all.size(); ++element)
    for (int64_t i = 0; i < tensor.element_size(); ++i)
      bytes[storage_of(tensor) + all[element] * tensor.element_size() + i].push_back(element);
  return bytes;
}

const char* end_of(const at::Tensor& t) { return storage_of(t) + t.storage().nbytes(); }

std::string layout(const at::Tensor& t) {
  return fmt::format("[{}] strides [{}] offset {}", fmt::join(t.sizes(), ","), fmt::join(t.strides(), ","),
                     t.storage_offset());
}

// Both tensors are seen over one piece of memory where their storages lie in one, each over its own
// otherwise.
CaseRow look_at(const Case& one) {
  const auto& [name, a, b, a_is_gone] = one;
  CaseRow row{name, layout(a), layout(b), tr("elsewhere")};
  row.one_memory = !a_is_gone && storage_of(a) < end_of(b) && storage_of(b) < end_of(a);
  row.one_storage = row.one_memory && a.is_alias_of(b);
  if (row.one_memory) row.apart = fmt::format("{:+} B", begin_of(b) - begin_of(a));
  const Bytes in_a = bytes_of(a), in_b = bytes_of(b);
  for (const auto& [byte, elements] : in_a) row.shared += row.one_memory && in_b.contains(byte);
  const auto cells = [&](const at::Tensor& tensor, const Bytes& bytes) {
    std::string text;
    const char* end = row.one_memory ? std::max(end_of(a), end_of(b)) : end_of(tensor);
    const char* cell = row.one_memory ? std::min(storage_of(a), storage_of(b)) : storage_of(tensor);
    for (; cell < end; cell += std::min(a.element_size(), b.element_size()))
      text += (bytes.contains(cell) ? fmt::format("{}|", fmt::join(bytes.at(cell), " ")) : "|");
    return text;
  };
  row.cells_a = cells(a, in_a);
  row.cells_b = cells(b, in_b);
  return row;
}

void run(const Config& config, const RunContext& context) {
  Recorder& recorder = *context.store.add_section("pairs", {}, 1).front();
  const std::vector<Case> cases = make_cases(config.integer("columns"));
  int64_t done = 0;
  for (const Case& one : cases) {
    if (!context.control.may_proceed()) throw CancelledError();
    const SpanScope span(recorder, "pair", done, one.name);
    const CaseRow row = look_at(one);
    record_row(recorder, row);
    const bool truth = config.text("truth") == "storage" ? row.one_storage : row.shared > 0;
    for (const Test& test : all_tests()) {
      const bool asked = !one.a_is_gone || test.of_pointers;
      record_row<AnswerRow>(recorder, {one.name, test.name, asked, asked && test.says(one), truth});
    }
    context.progress({one.name, ++done, static_cast<int64_t>(cases.size())});
  }
}

PredictionSpec how_often_data_ptr() {
  PredictionSpec spec;
  spec.id = "data_ptr_wrong";
  spec.question = tr("24 pairs of tensors: in how many is a.data_ptr() == b.data_ptr() the wrong answer?");
  spec.unit = tr("pairs");
  spec.formula = [](const Config& config) { return config.text("truth") == "bytes" ? 8 : 9; };
  spec.wrong = {{"equal data_ptr is what sharing means", [](const Config&) { return 0; }},
                {"only an offset fools it", [](const Config&) { return 1; }}};
  spec.measured = [](const Trace& trace) -> std::optional<double> {
    const auto cases = cases_where(trace, "data_ptr", &AnswerRow::wrong);
    return cases ? std::optional(static_cast<double>(cases->size())) : std::nullopt;
  };
  spec.figure = "cells";
  return spec;
}

Words names_of_tests(const std::function<bool(const std::string&)>& wanted) {
  Words names;
  for (const Test& test : all_tests())
    if (wanted(test.name)) names.push_back(test.name);
  return names;
}

PredictionSpec which_are_never_wrong() {
  PredictionSpec spec;
  spec.id = "never_wrong";
  spec.question = tr("Which of the tests are never wrong?");
  spec.answered_by = AnswerKind::kChoices;
  WordQuestion words{AnswerKind::kChoices};
  words.right = [](const Config& config) {
    return config.text("truth") == "bytes" ? Words{"write all", "exact"} : Words{"is_alias_of"};
  };
  words.options = [](const Config&) { return names_of_tests([](const std::string&) { return true; }); };
  words.wrong = [](const Config&) {
    return std::vector<WrongWords>{{"one storage means shared bytes", {"is_alias_of"}},
                                   {"overlapping intervals mean shared bytes", {"intervals"}}};
  };
  words.measured = [](const Trace& trace) -> std::optional<Words> {
    if (rows_of<AnswerRow>(trace).empty()) return std::nullopt;
    return names_of_tests(
        [&](const std::string& test) { return cases_where(trace, test, &AnswerRow::wrong)->empty(); });
  };
  spec.words = words;
  spec.figure = "cells";
  return spec;
}

ClaimSpec claim(const char* id, const char* source, std::string statement, const char* test,
                bool (AnswerRow::*wrong)() const) {
  return {id, source, std::move(statement), [=](const Trace& trace) -> ClaimResult {
            const auto cases = cases_where(trace, test, wrong);
            if (!cases) return {Verdict::kNotTestable, tr("no pair was tried")};
            if (cases->empty()) return {Verdict::kHolds, tr("true of every pair")};
            return {Verdict::kFails, tr("not true of {} pairs: {}", cases->size(), fmt::join(*cases, "; "))};
          }};
}

}  // namespace

Lesson make_lesson() {
  Lesson lesson;
  lesson.parameters = {number("columns", "of m, which has 3 rows; x has as many elements", "", "4", 2, 6),
                       choice("truth", "sharing means: a byte is in both, or both hold one storage", "bytes",
                              {"bytes", "storage"})};
  lesson.predictions = {how_often_data_ptr(), which_are_never_wrong()};
  lesson.claims = {
      claim("enough", "B15", tr("tensors with equal data_ptr share memory"), "data_ptr",
            &AnswerRow::false_alarm),
      claim("needed", "B15", tr("tensors that share memory have equal data_ptr"), "data_ptr",
            &AnswerRow::missed),
      claim("alias", "B15", tr("is_alias_of tells whether tensors share memory"), "is_alias_of",
            &AnswerRow::wrong),
      claim("intervals", "numpy.may_share_memory", tr("tensors that share memory have overlapping intervals"),
            "intervals", &AnswerRow::missed),
      claim("exact", "numpy.shares_memory", tr("a search over the strides is never wrong"), "exact",
            &AnswerRow::wrong)};
  lesson.figures = figures();
  lesson.readouts = readouts;
  lesson.words = {tr("The first pair is being made."), tr("Now go from pair to pair."), tr("pair"), "pair"};
  lesson.run = run;
  return lesson;
}

}  // namespace ringside::lessons::shared_memory
