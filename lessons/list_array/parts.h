// What a run records: in the sections "Python" and "C++" the time of a number in each sum, round after round,
// as Timings; in "sizes" the sums of C++ over how many numbers there are.
#pragma once

#include "ringside/lesson/lesson.h"
#include "ringside/lesson/timings.h"

namespace ringside::list_array_lesson {

inline constexpr char kPython[] = "Python", kCpp[] = "C++", kSizes[] = "sizes";
// Attributes of the section Python, in bytes.
inline constexpr char kFloat[] = "float", kSlot[] = "slot of a list", kPacked[] = "element of an array";

struct Sized {
  static constexpr char kTable[] = "sums";
  std::string way = "";
  int64_t numbers = 0;
  double ns = 0, misses = -1;
};
void visit_fields(RowOf<Sized> auto& row, auto&& visit) {
  visit(Field{"way", "what is summed, and how"}, row.way);
  visit(Field{"numbers", "in the sum"}, row.numbers);
  visit(Field{"ns", "of the thread's own time, a number", "ns"}, row.ns);
  visit(Field{"misses", "of the cache, a number; -1 where no counter is readable"}, row.misses);
}

// ---- The sums of C++: the same numbers in memory in several ways -----------------------

struct Tagged {  // a number that says of which type it is
  const char* type;
  double value;
};
struct Boxed {  // as CPython's float: 24 bytes
  int64_t references;
  Tagged number;
};

struct Numbers {
  explicit Numbers(size_t count);  // 0, 1, 2, ...
  double expected() const { return array.empty() ? 0 : array.back() * (array.back() + 1) / 2; }

  std::vector<double> array;
  std::vector<std::vector<double>> blocks;
  std::vector<Tagged> tagged;
  std::vector<Boxed> objects;
  std::vector<const Boxed*> list, shuffled_list;
  std::vector<const double*> pointers;  // shuffled as well: in another order than the numbers lie in memory
};

struct Sum {
  const char* way;
  double (*of)(const Numbers& numbers);
};
extern const std::vector<Sum> kSums;

// ---- The figures -----------------------------------------------------------------------

struct Against {
  std::string label, slow, fast;
};
extern const std::vector<Against> kNumpyAgainstList;  // slow: numpy's

std::vector<FigureSpec> figures();

}  // namespace ringside::list_array_lesson
