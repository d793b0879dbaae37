// Times a number, over ways and over sizes; what lies in memory; what is bought by what; where the array
// loses.
#include <algorithm>
#include <map>

#include "parts.h"
#include "ringside/base/median.h"
#include "ringside/base/ratio.h"
#include "ringside/lesson/figure_forms.h"
#include "ringside/lesson/tr.h"

namespace ringside::list_array_lesson {
namespace {

using namespace figure;

const std::string kNotRun = tr("It has not run.");

Value bars(const FigureInput& input) {
  Bars bars{{"time of a number", "ns"}, {{"ns"}}, {}};
  for (const std::string what :
       {"numpy.sum(array)", "sum(array.array)", "sum(list)", "sum(list), shuffled", "numpy.sum(list)",
        "C++: array, vectorised", "C++: array", "C++: list", "C++: list, shuffled"})
    if (const double ns = median_of(input.trace, what.substr(what.find(": ") == 3 ? 5 : 0)); ns > 0)
      bars.rows.push_back({what, {ns}});
  return or_nothing(bars, kNotRun);
}

std::string bars_sentence(const FigureInput& input) {
  const double list = median_of(input.trace, "sum(list)"),
               shuffled = median_of(input.trace, "sum(list), shuffled"),
               numpy = median_of(input.trace, "numpy.sum(array)");
  if (!(numpy > 0)) return "";
  return tr(
      "A number of a list costs {:.0f} times what it costs in numpy, and {:.0f} times where the list is "
      "shuffled.",
      list / numpy, shuffled / numpy);
}

Value sweep(const FigureInput& input) {
  Lines all{{"numbers", "", true}, {"time of a number", "ns", true}, {}};
  std::map<std::string, std::map<int64_t, std::vector<double>>> times;
  for (const SectionView& section : input.trace.sections())
    if (section.name() != kPython)
      for (const Timing& row : rows_in<Timing>(&section)) times[row.what][row.elements].push_back(row.ns);
  for (const auto& [what, sizes] : times) {
    all.lines.push_back({what, hue(all.lines.size()), Stroke::kMeasured, {}});
    for (const auto& [size, ns] : sizes)
      all.lines.back().points.push_back({static_cast<double>(size), median(ns)});
  }
  return or_nothing(all, kNotRun);
}

Value boxes(const FigureInput& input) {
  const SectionView* python = input.trace.find(kPython);
  if (python == nullptr || !python->has(kFloat)) return Nothing{kNotRun};
  const double slot = python->number(kSlot), object = python->number(kFloat),
               packed = python->number(kPacked);
  const auto bytes = [](double count) { return tr("{:.0f} bytes a number", count); };
  Boxes all{
      {{tr("list"), {}, bytes(slot + object)}, {tr("its floats"), {}}, {tr("array"), {}, bytes(packed)}}};
  for (size_t i = 0; i < 4; ++i) {
    all.rows[0].boxes.push_back({tr("{}", i), Ink::kOptimizer, slot});
    all.rows[1].boxes.push_back({tr("object {}", i), Ink::kOther, object - packed});
    for (const size_t row : {1, 2}) all.rows[row].boxes.push_back({tr("{}.0", i), Ink::kParameters, packed});
    all.links.push_back({{0, i}, {1, 2 * i}});
  }
  return all;
}

// Medians of two sums, and how many times as long the one takes as the other, round by round.
Value compared(const Trace& trace, std::vector<figure::TableColumn> columns,
               const std::vector<Against>& rows) {
  columns.push_back({tr("times as long")});
  const bool counted = misses_of(trace, rows.front().slow) >= 0;
  if (counted) columns.push_back({tr("cache misses a number"), "", true});
  Table table{std::move(columns), {}};
  for (const auto& [label, slow, fast] : rows) {
    const auto a = rounds_of(trace, slow), b = rounds_of(trace, fast);
    if (a.empty() || a.size() != b.size()) continue;
    const auto number = [](double value) { return TableCell{tr("{:.2f}", value), value}; };
    table.rows.push_back({{label}, number(median(a)), number(median(b)), {to_text(ratio_interval(a, b))}});
    if (counted) table.rows.back().push_back(number(misses_of(trace, slow)));
  }
  return or_nothing(table, kNotRun);
}

Value bought(const FigureInput& input) {
  return compared(input.trace, {{tr("taken away")}, {tr("without"), "ns", true}, {tr("with"), "ns", true}},
                  {{tr("vectorised"), "array", "array, vectorised"},
                   {tr("then one type as well"), "array of any type", "array"},
                   {tr("or contiguous: blocks of 4 KiB"), "blocks of 4 KiB", "array"},
                   {tr("or contiguous: shuffled pointers"), "pointers, shuffled", "array"},
                   {tr("all: a shuffled list"), "list, shuffled", "array, vectorised"}});
}

Value losses(const FigureInput& input) {
  return compared(input.trace, {{""}, {tr("numpy"), "ns", true}, {tr("list"), "ns", true}},
                  numpy_against_list());
}

}  // namespace

std::vector<Readout> readouts(const FigureInput& input) {
  std::vector<Readout> all;
  for (const char* what : {"numpy.sum(array)", "sum(list)", "sum(list), shuffled"})
    if (const double ns = median_of(input.trace, what); ns > 0)
      all.push_back({what, tr("{:.2f} ns a number", ns)});
  return all;
}

std::vector<FigureSpec> figures() {
  FigureSpec first = figure_of_run("bars", tr("What a number costs in a sum"), bars, {"shuffled", "slower"});
  first.sentence = bars_sentence;
  return {first, figure_of_run("losses", tr("numpy against a list"), losses, {"slower"}),
          figure_of_run("bought", tr("What each property buys, in C++: taken away one at a time"), bought),
          figure_of_run("boxes", tr("Four numbers in memory"), boxes, {"bytes"}),
          figure_of_run("sizes", tr("The same over how many numbers there are"), sweep, {"shuffled"})};
}

}  // namespace ringside::list_array_lesson
