// Loops that sum the same numbers. All keep four sums, so that no addition waits for the one before; only
// "array, vectorised" adds four numbers with one instruction.
#include "parts.h"

#include "ringside/base/error.h"
#include "ringside/base/random.h"

namespace ringside::list_array_lesson {
namespace {

constexpr char kReal[] = "float";
constexpr size_t kBlock = 512;  // numbers: 4 KiB

template <typename T, typename NumberOf>
double sum_of(const std::vector<T>& all, const NumberOf& number_of) {
  double sums[4] = {};
  size_t i = 0;
  for (; i + 4 <= all.size(); i += 4)
    for (size_t k = 0; k < 4; ++k) sums[k] += opaque(number_of(all[i + k]));
  for (; i < all.size(); ++i) sums[0] += number_of(all[i]);
  return sums[0] + sums[1] + sums[2] + sums[3];
}

using Four = double __attribute__((vector_size(32), aligned(8)));

[[gnu::always_inline]] inline double sum_fours(const std::vector<double>& numbers) {
  Four sums[4] = {};
  size_t i = 0;
  for (; i + 16 <= numbers.size(); i += 16)
    for (size_t k = 0; k < 4; ++k) sums[k] += *reinterpret_cast<const Four*>(&numbers[i + 4 * k]);
  for (; i < numbers.size(); ++i) sums[0][0] += numbers[i];
  const Four all = sums[0] + sums[1] + sums[2] + sums[3];
  return all[0] + all[1] + all[2] + all[3];
}
#if defined(__x86_64__)
[[gnu::target("avx2")]] double sum_avx2(const std::vector<double>& numbers) { return sum_fours(numbers); }
#endif

double sum_vectorised(const Numbers& numbers) {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx2")) return sum_avx2(numbers.array);
#endif
  return sum_fours(numbers.array);
}

const auto itself = [](double number) { return number; };
const auto inlined = [](const Tagged& number) {
  if (number.type != kReal) throw InvariantError("a number of another type");
  return number.value;
};
// A call for each number, as an interpreter calls what the type of a number names.
[[gnu::noinline]] double checked(const Tagged& number) { return inlined(number); }
const auto unboxed = [](const Boxed* object) { return checked(object->number); };

}  // namespace

Numbers::Numbers(size_t count) : objects(count) {
  for (size_t i = 0; i < count; ++i) {
    array.push_back(static_cast<double>(i));
    if (i % kBlock == 0) blocks.emplace_back();
    blocks.back().push_back(array[i]);
    tagged.push_back({kReal, array[i]});
    objects[i] = {1, tagged[i]};
    list.push_back(&objects[i]);
  }
  shuffled_list = list;
  RandomStream random(1, "shuffled");
  for (size_t i = count; i > 1; --i) std::swap(shuffled_list[i - 1], shuffled_list[random.below(i)]);
  for (const Boxed* object : shuffled_list) pointers.push_back(array.data() + (object - objects.data()));
}

const std::vector<Sum> kSums = {
    {"array, vectorised", sum_vectorised},
    {"array", [](const Numbers& all) { return sum_of(all.array, itself); }},
    {"blocks of 4 KiB",
     [](const Numbers& all) {
       double total = 0;
       for (const std::vector<double>& block : all.blocks) total += sum_of(block, itself);
       return total;
     }},
    {"array of any type, inlined", [](const Numbers& all) { return sum_of(all.tagged, inlined); }},
    {"array of any type", [](const Numbers& all) { return sum_of(all.tagged, checked); }},
    {"pointers, shuffled",
     [](const Numbers& all) { return sum_of(all.pointers, [](const double* number) { return *number; }); }},
    {"list", [](const Numbers& all) { return sum_of(all.list, unboxed); }},
    {"list, shuffled", [](const Numbers& all) { return sum_of(all.shuffled_list, unboxed); }}};

}  // namespace ringside::list_array_lesson
