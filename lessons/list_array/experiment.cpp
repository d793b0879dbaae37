// Sums of the same numbers in a list and in arrays: in Python, and in C++ with one property taken away at a
// time.
#include "embedded.h"
#include "parts.h"
#include "ringside/lesson/ways.h"
#include "ringside/child/child.h"
#include "ringside/child/python.h"
#include "ringside/lesson/parameter_specs.h"
#include "ringside/lesson/tr.h"
#include "sums.h"

namespace ringside::list_array_lesson {
namespace {

constexpr int64_t kLeastTimed = 1 << 17;  // numbers

Timing timed(const Numbers& numbers, const std::string& way, int64_t elements, const CacheMisses& misses) {
  const int64_t passes = std::max<int64_t>(1, kLeastTimed / elements);
  const int64_t before = misses.count();
  const double start = thread_cpu_ns();
  double sum = 0;
  for (int64_t pass = 0; pass < passes; ++pass) sum += numbers.sum(way);
  const double time = thread_cpu_ns() - start;
  const int64_t after = misses.count();
  if (sum != numbers.expected() * static_cast<double>(passes)) throw InvariantError("a wrong sum: " + way);
  const auto summed = static_cast<double>(passes * elements);
  return {way, elements, time / summed, before < 0 ? -1 : static_cast<double>(after - before) / summed};
}

// All ways in turns, forwards and backwards.
void time_rounds(int64_t elements, int64_t rounds, const CacheMisses& misses, Recorder& pen,
                 const RunContext& context) {
  const Numbers numbers(static_cast<size_t>(elements));
  for (int64_t round = 0; round < rounds; ++round) {
    context.control.pass_step();
    const SpanScope step(pen, "step", round);
    for (size_t i = 0; i < kWays.size(); ++i)
      record_row(pen, timed(numbers, kWays[round % 2 == 0 ? i : kWays.size() - 1 - i], elements, misses));
    context.progress({kCpp, round + 1, rounds});
  }
}

void time_python(int64_t elements, int64_t rounds, const RunContext& context) {
  const std::string script(lessons::list_array::embedded("arrays.py"));
  Child child(python_command(script, {std::to_string(elements)}), context.control, {.seconds = 120});
  Recorder& pen = *context.store.add_section(kPython, {}, 1).at(0);
  child.next([&](const JsonObject& event) {
    Attributes sizes;
    for (const char* key : {kFloat, kSlot, kPacked, kNear})
      sizes[key] = json_number(event.at(key), key, 0, 1000);
    context.store.set_attributes(kPython, sizes);
  });
  for (int64_t round = 0; round < rounds; ++round) {
    context.control.pass_step();
    const SpanScope step(pen, "step", round);
    child.send(std::to_string(round));
    bool more = true;
    const auto read = [&](const JsonObject& event) {
      more = event.find("done") == nullptr;
      if (!more) return;
      record_row(pen, Timing{event.text("what"), event.integer("elements", 1, elements),
                             json_number(event.at("ns"), "ns", 0, 1e12)});
    };
    while (more && child.next(read)) continue;
    context.progress({kPython, round + 1, rounds});
  }
}

void run(const Config& config, const RunContext& context) {
  const int64_t elements = config.integer("elements"), rounds = config.integer("rounds");
  const CacheMisses misses;
  Recorder& sizes = *context.store.add_section(kSizes, {}, 1).at(0);
  for (int64_t size = 1 << 10; size < elements; size *= 4) time_rounds(size, 3, misses, sizes, context);
  time_rounds(elements, rounds, misses, *context.store.add_section(kCpp, {}, 1).at(0), context);
  TraceRows rows;
  if (misses.count() < 0)
    rows.lines.push_back(
        tr("Cache misses cannot be counted here; what they cost shows in the times over sizes."));
  try {
    for (const std::string& module : missing_modules({"numpy"}, context.control))
      rows.lines.push_back(
          tr("{} is left out. Debian's package is {}; RINGSIDE_PYTHON may name a Python that has it.", module,
             debian_package(module)));
    time_python(elements, rounds, context);
  } catch (const MissingError& missing) {
    rows.lines.push_back(tr("Python is left out: {}. Debian's package is python3.", missing.what()));
  }
  context.store.set_rows(rows);
}

}  // namespace
}  // namespace ringside::list_array_lesson

namespace ringside::lessons::list_array {

Lesson make_lesson() {
  using namespace list_array_lesson;
  Lesson lesson;
  lesson.parameters = {
      number("elements", "numbers that are summed", "", "1Mi", 1 << 18, 1 << 22, ParameterKind::kCount),
      number("rounds", "in which the sums take turns", "", "15", 1, 100),
  };
  lesson.predictions = predictions();
  lesson.claims = claims();
  lesson.figures = figures();
  lesson.readouts = readouts;
  lesson.words = {"The numbers are laid out.", "Now watch what a number costs in each of them.", "round",
                  "step"};
  lesson.run = run;
  return lesson;
}

}  // namespace ringside::lessons::list_array
