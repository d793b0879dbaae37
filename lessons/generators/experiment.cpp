// The source's program: line by line in Python, and as C++20 coroutines.
#include <array>

#include "embedded.h"
#include "generator.h"
#include "ringside/child/child.h"
#include "ringside/child/python.h"
#include "ringside/lesson/claim_forms.h"
#include "ringside/lesson/parameter_specs.h"
#include "ringside/lesson/question_forms.h"
#include "ringside/lesson/tr.h"

namespace ringside::generators_lesson {
namespace {

#include "program.inc"

using lessons::generators::embedded;

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

// ---- What is asked, and what the trace decides ----------------------------------------

const std::string kFew = "0 1 3 4", kTen = "0 1 2 3 4 5 6 7 8 9", kAll = kTen + " " + kFew;
// In Python.
std::optional<std::string> printed(const Trace& trace, const std::string& variant) {
  for (const Printed& row : rows_in<Printed>(trace.find(kPython)))
    if (row.variant == variant) return row.numbers;
  return std::nullopt;
}

// Of next(numbers(0)) by hand: "stop", what it raised; "left", how many numbers were left in that.
std::optional<std::string> by_hand(const Trace& trace, const std::string& what) {
  for (const Step& step : rows_in<Step>(trace.find(kPython)))
    if (step.who == kByHand && step.what == what) return step.value;
  return std::nullopt;
}

const ClaimResult kNotRun = not_testable(tr("this has not run"));

// "It prints 0 1 3 4."
ClaimSpec prints(std::string id, std::string source, std::string statement, std::string variant,
                 std::string program) {
  return {id, source, statement, [=](const Trace& trace) {
            const auto found = printed(trace, variant);
            return found ? holds_if(*found == kFew, tr("{}: Python printed {}", program, *found)) : kNotRun;
          }};
}

ClaimResult judge_stop(const Trace& trace) {
  const auto stop = by_hand(trace, "stop"), left = by_hand(trace, "left");
  if (!left) return not_testable(tr("numbers(0) returned nothing in this run"));
  const std::string raised = stop ? "StopIteration(" + *stop + ")" : "nothing";
  return holds_if(stop && *stop != "None",
                  tr("next(numbers(0)) raised {}; {} of 10 numbers were left in it", raised, *left));
}

ClaimResult judge_cpp(const Trace& trace) {
  for (const auto& [variant, language, numbers] : rows_in<Printed>(trace.find(kCpp)))
    if (const auto python = printed(trace, variant))
      return holds_if(*python == numbers, tr("{}: Python printed {}, C++ {}", variant, *python, numbers));
  return kNotRun;
}

std::optional<Words> printed_words(const Trace& trace) {
  const std::string numbers = printed_by(rows_in<Step>(trace.find(kPython)));
  return numbers.empty() ? std::nullopt : std::optional(Words{numbers});
}

std::optional<Words> line_after_three(const Trace& trace) {
  bool has_run = false;  // line 3
  for (const Step& step : rows_in<Step>(trace.find(kPython))) {
    if (has_run && step.what == "line" && step.line != 3) return Words{std::to_string(step.line)};
    has_run = has_run || (step.line == 3 && step.what != "line");
  }
  return std::nullopt;
}

std::optional<Words> variants_with_ten(const Trace& trace) {
  Words with;
  const std::vector<Printed> all = rows_in<Printed>(trace.find(kPython));
  for (const Printed& row : all)
    if (row.numbers.starts_with(kTen)) with.push_back(row.variant);
  return all.size() == kVariants.size() ? std::optional(with) : std::nullopt;
}

// What is right of the source's program, and of its variants.
std::function<Words(const Config&)> by_variant(const Words& of_source, const Words& of_variants) {
  return [=](const Config& config) { return config.is_default("variant") ? of_source : of_variants; };
}

std::vector<PredictionSpec> predictions() {
  const std::string hands_on = tr("return hands the numbers on"), lost = tr("what is returned is lost");
  return {
      ask("output", tr("What does the program print? Write the numbers with blanks between them."),
          {.kind = AnswerKind::kText,
           .right_by = by_variant({kFew}, {kAll}),
           .wrong = {{hands_on, {kAll}}, {lost, {kFew}}},
           .measured = printed_words,
           .around = {tr("output"),
                      tr("In a generator function return ends the generator. Its value goes into "
                         "StopIteration, which "
                         "a for loop does not look at; only yield and yield from hand numbers on."),
                      "program"}}),
      ask("next", tr("Line 3 has just run. Which line comes next?"),
          {.kind = AnswerKind::kLine,
           .right_by = by_variant({"9"}, {"11"}),
           .options_by = [](const Config& config) { return lines_of(program_of(config.text("variant"))); },
           .wrong = {{hands_on, {"11"}}, {lost, {"9"}}, {tr("the branches below run too"), {"5"}}},
           .measured = line_after_three,
           .around = {tr("the next line"),
                      tr("A return ends the generator, and the loop takes the next id. A yield hands a "
                         "number to the "
                         "loop, and its body runs."),
                      "program"}}),
      ask("tens",
          tr("Which of these print 0 to 9? yield_from: line 3 yields from the range. caught: a caller with "
             "rest = yield from numbers(id) yields from rest. no_yield: every branch returns an iterator."),
          {.kind = AnswerKind::kChoices,
           .right = {"yield_from", "caught", "no_yield"},
           .options = kVariants,
           .wrong = {{tr("only yield hands numbers on"), {"yield_from"}},
                     {lost, {"yield_from", "no_yield"}},
                     {hands_on, kVariants},
                     {tr("def makes it a generator"), {"yield_from", "caught"}}},
           .measured = variants_with_ten,
           .around = {tr("0 to 9"),
                      tr("yield from hands every number on. A caller can yield from what was returned, and a "
                         "function "
                         "without any yield is no generator: it returns the iterator itself."),
                      "program"}})};
}

std::optional<double> count_printed(const FigureInput& input) {
  const std::vector<Step> steps = rows_in<Step>(input.section);
  if (steps.empty()) return std::nullopt;
  return static_cast<double>(
      std::count_if(steps.begin(), steps.end(), [](const Step& step) { return step.what == "print"; }));
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

}  // namespace ringside::generators_lesson

namespace ringside::lessons::generators {

Lesson make_lesson() {
  using namespace generators_lesson;
  Lesson lesson;
  lesson.parameters = {choice("variant", "the program, or with one thing changed", "source", kVariants)};
  lesson.predictions = predictions();
  for (PredictionSpec& question : lesson.predictions) question.figure = kProgram;
  lesson.claims = {prints("output", "B12", tr("the program prints 0 1 3 4"), "source", tr("the program")),
                   {"stop", "B12", tr("return in a generator is StopIteration"), judge_stop},
                   prints("lost", "belief", tr("what a generator returns is lost"), "caught",
                          "rest = yield from numbers(id)"),
                   {"coroutine", "B12", tr("a C++20 coroutine does the same"), judge_cpp}};
  lesson.figures = figures();
  lesson.readouts = readouts;
  lesson.gauges = {{tr("printed"), tr("numbers"), count_printed}};
  lesson.words = {"Python is starting.", "Now watch which line runs, and what goes where.", "step", "step"};
  lesson.run = run;
  return lesson;
}

}  // namespace ringside::lessons::generators
