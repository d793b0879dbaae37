// The source's program: line by line in Python, and as C++20 coroutines.

#include "embedded.h"
#include "generator.h"
#include "ringside/child/child.h"
#include "ringside/child/python.h"

namespace ringside::lessons::generators {
namespace {

#include "program.inc"

// Of a variant: what stands in the source's program, and what instead.
const std::vector<std::array<std::string, 3>> kChanges = {
    {"yield_from", "return iter(range(10))", "yield from range(10)"},
    {"no_yield", "yield from range(2)", "return iter(range(2))"},
    {"no_yield", "yield from range(3, 5)", "return iter(range(3, 5))"},
    {"caught", "in numbers(id)", "in everything(id)"},
    {"caught", "for id",
     "def everything(id):\n    rest = yield from numbers(id)\n    yield from rest or ()\n\nfor id"},
};

Step step_of(const JsonObject& event) {
  return {event.integer("line", 1, 100), event.text("who"), event.text("what"), event.text("value")};
}

void run_python(const std::string& stepped, const RunContext& context) {
  Child child(python_command(embedded("steps.py"), {program_of(stepped), "stepped"}), context.control);
  Scribe scribe{context, kPython};
  do {
    child.send("step");
  } while (child.next([&](const JsonObject& event) { scribe.step(step_of(event)); }));
  for (const std::string& variant : kVariants) {
    std::vector<Step> steps;
    Child whole(python_command(embedded("steps.py"), {program_of(variant)}), context.control);
    whole.each([&](const JsonObject& event) { steps.push_back(step_of(event)); });
    record_row<Printed>(scribe.pen, {variant, kPython, printed_by(steps)});
  }
}

}  // namespace

std::string printed_by(const std::vector<Step>& steps) {
  std::string numbers;
  for (const Step& step : steps)
    if (step.what == "print") numbers += (numbers.empty() ? "" : " ") + step.value;
  return numbers;
}

std::string program_of(const std::string& variant, const std::string& language) {
  if (language == kCpp) return std::string(embedded("program.inc"));
  std::string text(embedded("program.py"));
  for (const auto& [changed, what, by] : kChanges)
    if (variant == changed) text.replace(text.find(what), what.size(), by);
  return text;
}

void run(const Config& config, const RunContext& context) {
  const std::string& variant = config.text("variant");
  const bool caught = variant == "caught";
  Scribe scribe{context, kCpp};
  print_all(scribe, caught);
  const Trace so_far = context.store.snapshot();
  record_row<Printed>(scribe.pen, {caught ? "caught" : "source", kCpp, printed_by(rows_in<Step>(so_far))});
  try {
    run_python(variant, context);
  } catch (const MissingError& missing) {
    TraceRows rows;
    rows.lines = {tr("Python is left out: {}. Debian's package is python3.", missing.what())};
    context.store.set_rows(rows);
  }
}

}  // namespace ringside::lessons::generators
