// What a run records: in the sections of Python and C++ the time of a number in each sum, round after round,
// as Timings; in "sizes" the sums of C++ over how many numbers there are.
#pragma once

#include "ringside/lesson/lesson_kit.h"

namespace ringside::lessons::list_array {

inline constexpr char kPython[] = "Python", kCpp[] = "C++", kCached[] = "C++, in the cache",
                      kSizes[] = "sizes";
// Attributes of the section Python, in bytes; the shares are of neighbours that lie so far apart.
inline constexpr char kFloat[] = "float", kSlot[] = "slot of a list", kPacked[] = "element of an array",
                      kApart[] = "from float to float", kShare[] = "share", kVersion[] = "version";

struct Sized {
  static constexpr Columns kTable{"sums", "way", "numbers", "ns [ns]", "misses"};
  std::string way = "";
  int64_t numbers = 0;  // in the sum
  double ns = 0;        // of the thread's own time, a number
  double misses = -1;   // of the cache, a number; -1 where no counter is readable
};

// ---- The sums of C++: the same numbers in memory in several ways -----------------------

struct Tagged {  // a number that says of which type it is
  const char* type;
  double value;
};
struct alignas(16) Boxed {  // as CPython's float: 24 bytes, which its allocator rounds up to 32
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

void run(const Config& config, const RunContext& context);
Lesson make_lesson();

}  // namespace ringside::lessons::list_array
