// Loops that sum the same numbers. All keep four sums, so that no addition waits for the one before; only
// "array, vectorised" adds four numbers with one instruction.
#include "embedded.h"
#include "parts.h"
#include "ringside/base/check.h"
#include "ringside/base/random.h"
#include "ringside/child/child.h"
#include "ringside/child/python.h"
#include "ringside/lesson/cache_misses.h"

namespace ringside::lessons::list_array {
namespace {

constexpr char kReal[] = "float";
constexpr size_t kBlock = 512;  // numbers: 4 KiB

template <typename T, typename NumberOf>
[[gnu::optimize("O3")]] double sum_of(const std::vector<T>& numbers, const NumberOf& number_of) {
  const T* all = numbers.data();
  const size_t count = numbers.size();
  double sums[4] = {};
  size_t i = 0;
  for (; i + 4 <= count; i += 4)
    for (size_t k = 0; k < 4; ++k) sums[k] = opaque(sums[k] + number_of(all[i + k]));
  for (; i < count; ++i) sums[0] += number_of(all[i]);
  return sums[0] + sums[1] + sums[2] + sums[3];
}

using Four = double __attribute__((vector_size(32), aligned(8)));

[[gnu::always_inline]] inline double sum_fours(const double* numbers, size_t count) {
  Four sums[4] = {};
  size_t i = 0;
  for (; i + 16 <= count; i += 16)
    for (size_t k = 0; k < 4; ++k) sums[k] += *reinterpret_cast<const Four*>(numbers + i + 4 * k);
  for (; i < count; ++i) sums[0][0] += numbers[i];
  const Four all = sums[0] + sums[1] + sums[2] + sums[3];
  return all[0] + all[1] + all[2] + all[3];
}
#if defined(__x86_64__)
[[gnu::target("avx2"), gnu::optimize("O3")]] double sum_avx2(const std::vector<double>& numbers) {
  return sum_fours(numbers.data(), numbers.size());
}
#endif

[[gnu::optimize("O3")]] double sum_vectorised(const Numbers& numbers) {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx2")) return sum_avx2(numbers.array);
#endif
  return sum_fours(numbers.array.data(), numbers.array.size());
}

#define RINGSIDE_INLINED __attribute__((always_inline))  // into loops that are optimised more than the rest
const auto itself = [](double number) RINGSIDE_INLINED { return number; };
const auto inlined = [](const Tagged& number) RINGSIDE_INLINED {
  if (number.type != kReal) throw InvariantError("a number of another type");
  return number.value;
};
// A call for each number, as an interpreter calls what the type of a number names.
[[gnu::noinline]] double checked(const Tagged& number) { return inlined(number); }
const auto pointed_at = [](const double* number) RINGSIDE_INLINED { return *number; };
const auto unboxed = [](const Boxed* object) RINGSIDE_INLINED { return checked(object->number); };

constexpr int64_t kLeastTimed = 1 << 17;  // numbers

// Of a number, in ns; misses where they can be counted.
std::pair<double, std::optional<double>> timed(const Numbers& numbers, const Sum& sum,
                                               const CacheMisses& misses) {
  const auto count = std::ssize(numbers.array), passes = std::max<int64_t>(1, kLeastTimed / count);
  const auto summed = double(passes * count);
  const auto before = misses.count();
  const double start = thread_cpu_ns();
  double total = 0;
  for (int64_t pass = 0; pass < passes; ++pass) total += sum.of(numbers);
  const double time = thread_cpu_ns() - start;
  const auto after = misses.count();
  RINGSIDE_CHECK(total == numbers.expected() * double(passes), sum.way);
  return {time / summed, before && after ? std::optional(double(*after - *before) / summed) : std::nullopt};
}

// All sums in turns, forwards and backwards.
void time_sums(int64_t count, int64_t rounds, Recorder& sizes, Recorder& pen, const RunContext& context) {
  const Numbers numbers{size_t(count)};
  const CacheMisses misses;
  std::map<std::string, std::vector<double>> rounds_of;  // the ns of each way
  std::vector<Sum> turns = kSums;
  for (int64_t round = 0; round < rounds; ++round) {
    context.control.pass_step();
    const SpanScope step(pen, "step", round);
    for (const Sum& sum : turns) {
      const auto [ns, missed] = timed(numbers, sum, misses);
      rounds_of[sum.way].push_back(ns);
      if (missed) record_point(sizes, sum.way + kMisses, double(count), *missed);
      if (&pen != &sizes) record_row(pen, Timing{sum.way, ns});
    }
    std::ranges::reverse(turns);
    context.progress({kCpp, round + 1, rounds});
  }
  for (const auto& [way, ns] : rounds_of) record_point(sizes, way, double(count), median(ns));
}

void time_python(int64_t elements, int64_t rounds, const RunContext& context) {
  const std::string script(embedded("arrays.py"));
  Child child(python_command(script, {std::to_string(elements)}), context.control, {.seconds = 120});
  Recorder& pen = *context.store.add_section(kPython, {}, 1).at(0);
  child.next([&](const JsonObject& event) {
    Attributes sizes;
    for (const char* key : {kFloat, kSlot, kPacked, kApart, kShare})
      sizes[key] = json_number(event.at(key), key, 0, 1000);
    sizes[kVersion] = event.text(kVersion);
    context.store.set_attributes(kPython, sizes);
  });
  for (int64_t round = 0; round < rounds; ++round) {
    context.control.pass_step();
    const SpanScope step(pen, "step", round);
    child.ask(std::to_string(round), [&](const JsonObject& event) {
      record_row(pen, Timing{event.text("what"), json_number(event.at("ns"), "ns", 0, 1e12)});
    });
    context.progress({kPython, round + 1, rounds});
  }
}

}  // namespace

Numbers::Numbers(size_t count) : objects(count) {
  for (size_t i = 0; i < count; ++i) {
    array.push_back(double(i));
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
    {"pointers, shuffled", [](const Numbers& all) { return sum_of(all.pointers, pointed_at); }},
    {"list", [](const Numbers& all) { return sum_of(all.list, unboxed); }},
    {"list, shuffled", [](const Numbers& all) { return sum_of(all.shuffled_list, unboxed); }}};

void run(const Config& config, const RunContext& context) {
  const int64_t elements = config.integer("elements"), rounds = config.integer("rounds");
  Recorder& sizes = *context.store.add_section(kSizes, {}, 1).at(0);
  time_sums(1 << 10, rounds, sizes, *context.store.add_section(kCached, {}, 1).at(0), context);
  for (int64_t size = 1 << 12; size < elements; size *= 4) time_sums(size, 3, sizes, sizes, context);
  time_sums(elements, rounds, sizes, *context.store.add_section(kCpp, {}, 1).at(0), context);
  TraceRows rows;
  if (!CacheMisses().count())
    rows.lines.push_back(tr("Cache misses cannot be counted here; sizes show what they cost."));
  try {
    if (!missing_modules({"numpy"}, context.control).empty())
      rows.lines.push_back(tr("numpy is left out. Debian's package is python3-numpy."));
    time_python(elements, rounds, context);
  } catch (const MissingError& missing) {
    rows.lines.push_back(tr("Python is left out: {}. Debian's package is python3.", missing.what()));
  }
  context.store.set_rows(rows);
}

}  // namespace ringside::lessons::list_array
