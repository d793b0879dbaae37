// The same numbers in memory in several ways, each with a loop that sums them. All loops keep four sums, so
// that no addition waits for the one before; only "array, vectorised" adds four numbers with one instruction.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace ringside::list_array_lesson {

struct Tagged {  // a number that says of which type it is
  const char* type;
  double value;
};
struct Boxed {  // as CPython's float: 24 bytes
  int64_t references;
  Tagged number;
};

class Numbers {
 public:
  explicit Numbers(size_t count);  // 0, 1, 2, ...
  double sum(const std::string& way) const;
  double expected() const { return static_cast<double>(count_) * (static_cast<double>(count_) - 1) / 2; }

 private:
  size_t count_;
  std::vector<double> array_;
  std::vector<std::unique_ptr<double[]>> blocks_;
  std::vector<Tagged> tagged_;
  std::vector<Boxed> objects_;
  std::vector<const Boxed*> list_, shuffled_list_;
  std::vector<const double*> pointers_;  // shuffled as well: in another order than the numbers lie in memory
};
inline const std::vector<std::string> kWays = {
    "array, vectorised",  "array", "blocks of 4 KiB", "array of any type",
    "pointers, shuffled", "list",  "list, shuffled"};

// Counts this thread's cache misses; -1 where the system lets no program count them.
class CacheMisses {
 public:
  CacheMisses();
  ~CacheMisses();
  CacheMisses(const CacheMisses&) = delete;
  CacheMisses& operator=(const CacheMisses&) = delete;
  int64_t count() const;

 private:
  int counter_ = -1;
};

}  // namespace ringside::list_array_lesson
