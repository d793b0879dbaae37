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
const std::vector<Against> kRemoved = {
    {tr("vectorised"), "array", "array, vectorised"},
    {tr("then one type: a look at each type"), "array of any type, inlined", "array"},
    {tr("then one type: a call for each"), "array of any type", "array"},
    {tr("or contiguous: blocks of 4 KiB"), "blocks of 4 KiB", "array"},
    {tr("or contiguous: shuffled pointers"), "pointers, shuffled", "array"},
    {tr("all: a shuffled list"), "list, shuffled", "array, vectorised"}};
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
  return judged(found.empty(), fmt::format("{}", fmt::join(found, ", ")));
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
  return judged(says == apart, says, 100 * python.number(kShare), apart);
}

int shuffled_takes(const Trace& trace) {  // of the options
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

std::vector<Attribute> bars_sentence(const FigureInput& input) {
  const auto times = [&](const char* way) { return ratio_in_python(input.trace, way, "numpy.sum(array)"); };
  return {sizes_in_python(input.trace).text(kVersion), times("sum(list)"), times("sum(list), shuffled")};
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

// Medians of two sums, and how many times as long the one takes as the other, round by round; cache misses of
// the largest sums, where they were counted.
FigureValue compared(const char* section, std::vector<std::string> titles, const std::vector<Against>& rows) {
  return [=](const FigureInput& input) {
    const auto misses = [&](const std::string& way) { return last_of(input.trace, kSizes, way + kMisses); };
    const bool counted = !std::isnan(misses(rows.front().slow));
    Table table{columns(titles), {}};
    if (counted) table.columns.push_back({tr("cache misses per number"), "", true});
    for (const auto& [label, slow, fast] : rows) {
      const auto a = ns_of(input.trace.find(section), slow), b = ns_of(input.trace.find(section), fast);
      if (a.empty() || a.size() != b.size()) continue;
      table.rows.push_back(cells(label, median(a), median(b), to_text(ratio_interval(a, b))));
      if (counted) table.rows.back().push_back(cell(misses(slow)));
    }
    return table;
  };
}

}  // namespace

Lesson make_lesson() {
  return lesson_of(
      embedded("texts.inc"),
      {.run = run,
       .questions = {{"slower", slower}, {"shuffled", shuffled_takes}},
       .claims = {{"always", judge_always}, {"float_bytes", judge_float_bytes}},
       .figures = {
           {"bars", bars, bars_sentence},
           {"losses", compared(kPython, {"", "numpy [ns]", "list [ns]", "times as long"}, kNumpyAgainstList)},
           {"bought", compared(kCpp, {"removed", "without [ns]", "with [ns]", "times as long"}, kRemoved)},
           {"boxes", boxes}}});
}

}  // namespace ringside::lessons::list_array
