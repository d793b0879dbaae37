// Sums of the same numbers in a list and in arrays: in Python, and in C++ with one property taken away at a
// time.

#include "embedded.h"
#include "parts.h"

namespace ringside::lessons::list_array {
namespace {

using namespace figure;

struct Against {
  std::string label, slow, fast;
};
const std::vector<Against> kNumpyAgainstList = {{"a sum of all", "numpy.sum(array)", "sum(list)"},
                                                {"a sum of four", "numpy.sum(array) of 4", "sum(list) of 4"},
                                                {"one by one", "numpy, one by one", "list, one by one"},
                                                {"numpy.sum of a list", "numpy.sum(list)", "sum(list)"}};

double ratio_in_python(const Trace& trace, const std::string& slow, const std::string& fast) {
  return needed(median_ns(trace.find(kPython), slow) / median_ns(trace.find(kPython), fast));
}

// Where numpy takes longer than the list.
std::optional<Words> slower(const Trace& trace) {
  Words found;
  for (const auto& [label, slow, fast] : kNumpyAgainstList)
    if (ratio_in_python(trace, slow, fast) > 1) found.push_back(label);
  return found;
}

ClaimResult judge_always(const Trace& trace) {
  const Words found = slower(trace).value();
  return holds_if(found.empty(), tr("slower than the list: {}", fmt::join(found, ", ")));
}

// Python's section, once it has said its sizes.
const SectionView& sizes_in_python(const Trace& trace) {
  const SectionView& python = needed(trace.find(kPython));
  if (!python.has(kApart)) throw NotRun();
  return python;
}

// How far apart most neighbours lie, and what an object says of its own size.
ClaimResult judge_float_bytes(const Trace& trace) {
  const SectionView& python = sizes_in_python(trace);
  const double says = python.number(kFloat), apart = python.number(kApart);
  return holds_if(says == apart, tr("getsizeof says {:.0f} bytes; {:.1f} % of neighbours lie {:.0f} apart",
                                    says, 100 * python.number(kShare), apart));
}

// The option that is right.
int shuffled_takes(const Trace& trace) {
  return ratio_in_python(trace, "sum(list), shuffled", "sum(list)") >= 2 ? 1 : 0;
}

Value bars(const FigureInput& input) {
  Bars bars{{tr("time per number"), "ns"}, {{"ns"}}, {}};
  for (const char* way :
       {"numpy.sum(array)", "sum(array.array)", "sum(list)", "sum(list), shuffled", "numpy.sum(list)"})
    if (const double ns = median_ns(input.trace.find(kPython), way); ns > 0) bars.rows.push_back({way, {ns}});
  for (const std::string way : {"array, vectorised", "array", "list", "list, shuffled"})
    if (const double ns = median_ns(input.trace.find(kCpp), way); ns > 0)
      bars.rows.push_back({"C++: " + way, {ns}});
  return bars;
}

std::string bars_sentence(const FigureInput& input) {
  const auto times = [&](const char* way) { return ratio_in_python(input.trace, way, "numpy.sum(array)"); };
  return tr(
      "In Python {} a number of a list costs {:.0f} times what it costs in numpy; shuffled, {:.0f} times.",
      needed(input.trace.find(kPython)).text(kVersion), times("sum(list)"), times("sum(list), shuffled"));
}

Value sweep(const FigureInput& input) {
  Lines all{{tr("numbers"), "", true}, {tr("time per number"), "ns", true}, {}};
  std::map<std::string, std::map<int64_t, std::vector<double>>> times;
  for (const Sized& row : rows_in<Sized>(input.trace)) times[row.way][row.numbers].push_back(row.ns);
  for (const auto& [way, sizes] : times) {
    all.lines.push_back({way, hue(all.lines.size()), Stroke::kMeasured, {}});
    for (const auto& [size, ns] : sizes) all.lines.back().points.push_back({double(size), median(ns)});
  }
  return all;
}

Value boxes(const FigureInput& input) {
  const SectionView& python = sizes_in_python(input.trace);
  const double slot = python.number(kSlot), box = python.number(kFloat), packed = python.number(kPacked);
  const double apart = python.number(kApart);
  const auto bytes = [](double count) { return tr("{:.0f} bytes per number", count); };
  Boxes all{
      {{tr("list"), {}, bytes(slot + apart)}, {tr("its floats"), {}}, {tr("array"), {}, bytes(packed)}}};
  for (size_t i = 0; i < 4; ++i) {
    all.rows[0].boxes.push_back({tr("{}", i), Ink::kOptimizer, slot});
    all.links.push_back({{0, i}, {1, all.rows[1].boxes.size()}});
    all.rows[1].boxes.push_back({tr("object {}", i), Ink::kOther, box - packed});
    for (const size_t row : {1, 2}) all.rows[row].boxes.push_back({tr("{}.0", i), Ink::kParameters, packed});
    if (apart > box) all.rows[1].boxes.push_back({tr("unused"), Ink::kOther, apart - box, false});
  }
  return all;
}

// Misses of a number, in the largest sums; negative where they were not counted.
double misses_of(const Trace& trace, const std::string& way) {
  const auto rows = rows_where<Sized>(trace, having(&Sized::way, way));
  return rows.empty() ? -1 : rows.back().misses;
}

// Medians of two sums, and how many times as long the one takes as the other, round by round.
Value compared(const FigureInput& input, const char* section, std::vector<TableColumn> columns,
               const std::vector<Against>& rows) {
  columns.push_back({tr("times as long")});
  const bool counted = misses_of(input.trace, rows.front().slow) >= 0;
  if (counted) columns.push_back({tr("cache misses per number"), "", true});
  Table table{std::move(columns), {}};
  for (const auto& [label, slow, fast] : rows) {
    const auto a = ns_of(input.trace.find(section), slow), b = ns_of(input.trace.find(section), fast);
    if (a.empty() || a.size() != b.size()) continue;
    table.rows.push_back(cells(label, median(a), median(b), to_text(ratio_interval(a, b))));
    if (counted) table.rows.back().push_back(cell(misses_of(input.trace, slow)));
  }
  return table;
}

Value bought(const FigureInput& input) {
  return compared(input, kCpp, {{tr("removed")}, {tr("without"), "ns", true}, {tr("with"), "ns", true}},
                  {{tr("vectorised"), "array", "array, vectorised"},
                   {tr("then one type: a look at each type"), "array of any type, inlined", "array"},
                   {tr("then one type: a call for each"), "array of any type", "array"},
                   {tr("or contiguous: blocks of 4 KiB"), "blocks of 4 KiB", "array"},
                   {tr("or contiguous: shuffled pointers"), "pointers, shuffled", "array"},
                   {tr("all: a shuffled list"), "list, shuffled", "array, vectorised"}});
}

Value losses(const FigureInput& input) {
  return compared(input, kPython, {{""}, {tr("numpy"), "ns", true}, {tr("list"), "ns", true}},
                  kNumpyAgainstList);
}

}  // namespace

Lesson make_lesson() {
  return lesson_of(embedded("texts.inc"),
                   {.run = run,
                    .questions = {{"slower", slower}, {"shuffled", shuffled_takes}},
                    .claims = {{"always", judge_always}, {"float_bytes", judge_float_bytes}},
                    .figures = {{"bars", bars, bars_sentence},
                                {"losses", losses},
                                {"bought", bought},
                                {"boxes", boxes},
                                {"sizes", sweep}}});
}

}  // namespace ringside::lessons::list_array
