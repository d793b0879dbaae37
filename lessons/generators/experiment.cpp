// The source's program: line by line in Python, and as C++20 coroutines.
#include <sstream>

#include "embedded.h"
#include "generator.h"
#include "ringside/child/child.h"
#include "ringside/child/python.h"
#include "ringside/lesson/parameter_specs.h"
#include "ringside/lesson/tr.h"

namespace ringside::generators_lesson {
namespace {

#include "program.inc"

using lessons::generators::embedded;

struct Change {
  std::string variant, what, by;
};
const Change kChanges[] = {
    {"yield_from", "return iter(range(10))", "yield from range(10)"},
    {"no_yield", "yield from range(2)", "return iter(range(2))"},
    {"no_yield", "yield from range(3, 5)", "return iter(range(3, 5))"},
    {"caught", "in numbers(id)", "in everything(id)"},
    {"caught", "for id",
     "def everything(id):\n    rest = yield from numbers(id)\n    yield from rest or ()\n\nfor id"},
};

std::string python_program(const std::string& variant) {
  std::string text(embedded("program.py"));
  for (const Change& change : kChanges)
    if (variant == change.variant) text.replace(text.find(change.what), change.what.size(), change.by);
  return text;
}

void run_python(const std::string& stepped, const RunContext& context) {
  Child child(python_command(embedded("steps.py"), {python_program(stepped), "stepped"}), context.control);
  Scribe scribe(context, kPython);
  const auto read = [&](const JsonObject& event) {
    scribe.step({event.integer("line", 1, 100), event.text("who"), event.text("what"), event.text("value")});
  };
  do {
    child.send("step");
  } while (child.next(read));
  for (const std::string& variant : kVariants) {
    std::vector<Step> steps;
    Child whole(python_command(embedded("steps.py"), {python_program(variant)}), context.control);
    whole.each([&](const JsonObject& event) {
      steps.push_back({0, "", event.text("what"), event.text("value")});
    });
    record_row<Printed>(scribe.pen, {variant, kPython, printed_by(steps)});
  }
}

void run(const Config& config, const RunContext& context) {
  const std::string& variant = config.text("variant");
  const bool caught = variant == "caught";
  Scribe scribe(context, kCpp);
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

}  // namespace

std::string printed_by(const std::vector<Step>& steps) {
  std::string numbers;
  for (const Step& step : steps)
    if (step.what == "print") numbers += (numbers.empty() ? "" : " ") + step.value;
  return numbers;
}

Words listing_of(const std::string& variant, bool cpp) {
  std::istringstream text(cpp ? std::string(embedded("program.inc")) : python_program(variant));
  Words lines;
  for (std::string line; std::getline(text, line);) lines.push_back(line);
  return lines;
}

}  // namespace ringside::generators_lesson

namespace ringside::lessons::generators {

Lesson make_lesson() {
  using namespace generators_lesson;
  Lesson lesson;
  lesson.parameters = {
      choice("variant", "the source's program, or with one thing changed", "source", kVariants)};
  lesson.predictions = predictions();
  lesson.claims = claims();
  lesson.figures = figures();
  lesson.readouts = readouts;
  lesson.words = {"Python is starting.", "Now watch which line runs, and what goes where.", "step", "step"};
  lesson.run = run;
  return lesson;
}

}  // namespace ringside::lessons::generators
