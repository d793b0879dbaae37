// What a run records, in the sections "Python", "C++" and "sizes": how long each sum took, round after round.
#pragma once

#include "ringside/lesson/lesson.h"
#include "ringside/lesson/rows.h"

namespace ringside::list_array_lesson {

inline constexpr char kPython[] = "Python", kCpp[] = "C++", kSizes[] = "sizes";
// Attributes of the section Python: bytes, and the share of a fresh list's floats that lie beside the next
// one.
inline constexpr char kFloat[] = "float", kSlot[] = "slot of a list", kPacked[] = "element of an array",
                      kNear[] = "neighbours";

struct Timing {
  static constexpr char kTable[] = "sums";
  std::string what = "";
  int64_t elements = 0;
  double ns = 0, misses = -1;
};
void visit_fields(RowOf<Timing> auto& row, auto&& visit) {
  visit(Field{"what", "is summed, and how"}, row.what);
  visit(Field{"elements", "numbers in it"}, row.elements);
  visit(Field{"ns", "of the thread's own time, an element", "ns"}, row.ns);
  visit(Field{"misses", "of the cache, an element; -1 where no counter is readable"}, row.misses);
}

// Of Python's sums and C++'s, by name: what each round took; the median, NaN where there is none.
std::vector<double> rounds_of(const Trace& trace, const std::string& what);
double median_of(const Trace& trace, const std::string& what);
double misses_of(const Trace& trace, const std::string& what);  // median; NaN where they were not counted

struct Against {
  std::string label, slow, fast;
};
const std::vector<Against>& numpy_against_list();  // slow: numpy's

std::vector<PredictionSpec> predictions();
std::vector<ClaimSpec> claims();
std::vector<FigureSpec> figures();
std::vector<Readout> readouts(const FigureInput& input);

}  // namespace ringside::list_array_lesson
