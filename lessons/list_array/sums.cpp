#include "sums.h"

#include <linux/perf_event.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "ringside/base/error.h"
#include "ringside/base/random.h"

namespace ringside::list_array_lesson {
namespace {

constexpr char kReal[] = "float";
constexpr size_t kBlock = 512;  // numbers: 4 KiB

// The compiler knows nothing of the number that comes out, and so cannot take several at once.
inline double alone(double number) {
#if defined(__x86_64__)
  asm("" : "+x"(number));
#elif defined(__aarch64__)
  asm("" : "+w"(number));
#endif
  return number;
}

template <typename At>
double sum_of(size_t count, const At& at) {
  double sums[4] = {};
  size_t i = 0;
  for (; i + 4 <= count; i += 4)
    for (size_t k = 0; k < 4; ++k) sums[k] += alone(at(i + k));
  for (; i < count; ++i) sums[0] += at(i);
  return sums[0] + sums[1] + sums[2] + sums[3];
}

using Four = double __attribute__((vector_size(32), aligned(8)));

[[gnu::always_inline]] inline double sum_fours(const double* numbers, size_t count) {
  Four sums[4] = {};
  size_t i = 0;
  for (; i + 16 <= count; i += 16)
    for (size_t k = 0; k < 4; ++k) sums[k] += *reinterpret_cast<const Four*>(numbers + i + 4 * k);
  const Four all = sums[0] + sums[1] + sums[2] + sums[3];
  double rest = 0;
  for (; i < count; ++i) rest += numbers[i];
  return all[0] + all[1] + all[2] + all[3] + rest;
}
double sum_vectorised(const double* numbers, size_t count) { return sum_fours(numbers, count); }
#if defined(__x86_64__)
[[gnu::target("avx2")]] double sum_avx2(const double* numbers, size_t count) {
  return sum_fours(numbers, count);
}
#endif

double checked(const Tagged& number) {
  if (number.type != kReal) throw InvariantError("a number of another type");
  return number.value;
}

template <typename T>
void shuffle(std::vector<T>& all) {
  RandomStream random(1, "shuffled");
  for (size_t i = all.size(); i > 1; --i) std::swap(all[i - 1], all[random.below(i)]);
}

}  // namespace

Numbers::Numbers(size_t count) : count_(count), objects_(count) {
  for (size_t i = 0; i < count; ++i) {
    if (i % kBlock == 0) blocks_.push_back(std::make_unique<double[]>(kBlock));
    array_.push_back(blocks_.back()[i % kBlock] = static_cast<double>(i));
    tagged_.push_back({kReal, array_[i]});
    objects_[i] = {1, tagged_[i]};
    list_.push_back(&objects_[i]);
  }
  for (const double& number : array_) pointers_.push_back(&number);
  shuffled_list_ = list_;
  shuffle(shuffled_list_);
  shuffle(pointers_);
}

double Numbers::sum(const std::string& way) const {
#if defined(__x86_64__)
  if (way == kWays[0] && __builtin_cpu_supports("avx2")) return sum_avx2(array_.data(), count_);
#endif
  if (way == kWays[0]) return sum_vectorised(array_.data(), count_);
  if (way == "array") return sum_of(count_, [a = array_.data()](size_t i) { return a[i]; });
  if (way == "array of any type")
    return sum_of(count_, [a = tagged_.data()](size_t i) { return checked(a[i]); });
  if (way == "pointers, shuffled") return sum_of(count_, [p = pointers_.data()](size_t i) { return *p[i]; });
  if (way == "blocks of 4 KiB")
    return sum_of(count_, [b = blocks_.data()](size_t i) { return b[i / kBlock][i % kBlock]; });
  const auto& list = way == "list" ? list_ : shuffled_list_;
  return sum_of(count_, [l = list.data()](size_t i) { return checked(l[i]->number); });
}

CacheMisses::CacheMisses() {
  perf_event_attr asked{};
  asked.size = sizeof asked;
  asked.type = PERF_TYPE_HARDWARE;
  asked.config = PERF_COUNT_HW_CACHE_MISSES;
  asked.exclude_kernel = asked.exclude_hv = 1;
  counter_ = static_cast<int>(::syscall(SYS_perf_event_open, &asked, 0, -1, -1, PERF_FLAG_FD_CLOEXEC));
}
CacheMisses::~CacheMisses() {
  if (counter_ >= 0) ::close(counter_);
}
int64_t CacheMisses::count() const {
  int64_t misses = 0;
  return counter_ >= 0 && ::read(counter_, &misses, sizeof misses) == sizeof misses ? misses : -1;
}

}  // namespace ringside::list_array_lesson
