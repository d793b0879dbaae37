// What a run records: in the sections of Python and C++ the time of a number in each sum, round after round,
// as Timings; in "sizes" curves of C++ over how many numbers are summed: a number's ns, the median of the
// rounds, and "WAY, misses", of the cache, where a counter is readable.
#pragma once

#include "ringside/lesson/lesson_kit.h"

namespace ringside::lessons::list_array {

inline constexpr char kPython[] = "Python", kCpp[] = "C++", kCached[] = "C++, in the cache",
                      kSizes[] = "sizes", kMisses[] = ", misses";
// Attributes of the section Python, in bytes; the shares are of neighbours that lie so far apart.
inline constexpr char kFloat[] = "float", kSlot[] = "slot of a list", kPacked[] = "element of an array",
                      kApart[] = "from float to float", kShare[] = "share", kVersion[] = "version";

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
  std::string way;
  double (*of)(const Numbers& numbers);
};
extern const std::vector<Sum> kSums;

void run(const Config& config, const RunContext& context);
Lesson make_lesson();

}  // namespace ringside::lessons::list_array
