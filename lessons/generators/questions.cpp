// What is asked before the run, and the claims that its trace decides.
#include "parts.h"
#include "ringside/lesson/claim_forms.h"
#include "ringside/lesson/question_forms.h"
#include "ringside/lesson/tr.h"

namespace ringside::generators_lesson {
namespace {

const std::string kFew = "0 1 3 4", kTen = "0 1 2 3 4 5 6 7 8 9", kAll = kTen + " " + kFew;
std::optional<std::string> printed(const Trace& trace, const std::string& variant,
                                   const std::string& language = kPython) {
  for (const Printed& row : rows_in<Printed>(trace))
    if (row.variant == variant && row.language == language) return row.numbers;
  return std::nullopt;
}

// The first step of Python's that is so.
std::optional<Step> first_step(const Trace& trace, const std::function<bool(const Step&)>& is_so) {
  for (const Step& step : rows_in<Step>(trace.find(kPython)))
    if (is_so(step)) return step;
  return std::nullopt;
}
auto by_hand(const std::string& what) {
  return [what](const Step& step) { return step.who == kByHand && step.what == what; };
}

const ClaimResult kNotRun = not_testable(tr("this has not run"));

ClaimResult judge_output(const Trace& trace) {
  const auto numbers = printed(trace, "source");
  return numbers ? holds_if(*numbers == kFew, tr("Python printed {}", *numbers)) : kNotRun;
}

ClaimResult judge_stop(const Trace& trace) {
  const auto stop = first_step(trace, by_hand("stop")), left = first_step(trace, by_hand("left"));
  if (!left) return not_testable(tr("numbers(0) returned nothing in this run"));
  if (!stop) return holds_if(false, tr("next(numbers(0)) raised nothing"));
  return holds_if(stop->value != "None",
                  tr("next(numbers(0)) raised StopIteration({}); {} of 10 numbers were left in what the run "
                     "returned",
                     stop->value, left->value));
}

ClaimResult judge_lost(const Trace& trace) {
  const auto numbers = printed(trace, "caught");
  if (!numbers) return kNotRun;
  return holds_if(!numbers->starts_with(kTen), tr("rest = yield from numbers(id) caught it: {}", *numbers));
}

ClaimResult judge_cpp(const Trace& trace) {
  for (const char* variant : {"source", "caught"}) {
    const auto python = printed(trace, variant), cpp = printed(trace, variant, kCpp);
    if (python && cpp)
      return holds_if(*python == *cpp, tr("{}: Python printed {}, C++ {}", variant, *python, *cpp));
  }
  return kNotRun;
}

// ---- Measured answers -----------------------------------------------------------

std::optional<Words> printed_words(const Trace& trace) {
  const std::string numbers = printed_by(rows_in<Step>(trace.find(kPython)));
  return numbers.empty() ? std::nullopt : std::optional(Words{numbers});
}

std::optional<Words> line_after_three(const Trace& trace) {
  bool passed = false;
  const auto next = first_step(trace, [&](const Step& step) {
    return (passed = passed || (step.line == 3 && step.what != "line")) && step.what == "line" &&
           step.line != 3;
  });
  return next ? std::optional(Words{std::to_string(next->line)}) : std::nullopt;
}

std::optional<Words> variants_with_ten(const Trace& trace) {
  Words with;
  for (const std::string& variant : kVariants) {
    const auto numbers = printed(trace, variant);
    if (!numbers) return std::nullopt;
    if (numbers->starts_with(kTen)) with.push_back(variant);
  }
  return with;
}

// What is right of the source's program, and of its variants.
std::function<Words(const Config&)> by_variant(const Words& of_source, const Words& of_variants) {
  return [=](const Config& config) { return config.is_default("variant") ? of_source : of_variants; };
}

}  // namespace

std::vector<PredictionSpec> predictions() {
  const std::string hands_on = tr("return hands the numbers on"), lost = tr("what is returned is lost");
  PredictionSpec next =
      ask("next", tr("Line 3 has just run. Which line comes next?"),
          {.kind = AnswerKind::kLine,
           .right_by = by_variant({"9"}, {"11"}),
           .wrong = {{hands_on, {"11"}}, {lost, {"9"}}, {tr("the branches below run too"), {"5"}}},
           .measured = line_after_three});
  next.words->options = [](const Config& config) { return listing_of(config.text("variant")); };
  return {
      ask("output", tr("What does the program print? Write the numbers with blanks between them."),
          {.kind = AnswerKind::kText,
           .right_by = by_variant({kFew}, {kAll}),
           .wrong = {{hands_on, {kAll}},
                     {lost, {kFew}},
                     {tr("the iterator is printed"), {"<range_iterator> " + kFew}}},
           .measured = printed_words}),
      next,
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
           .measured = variants_with_ten})};
}

std::vector<ClaimSpec> claims() {
  return {
      {"output", "B12", tr("the program prints 0 1 3 4"), judge_output},
      {"stop", "B12", tr("return in a generator is StopIteration"), judge_stop},
      {"lost", "belief", tr("what a generator returns is lost"), judge_lost},
      {"coroutine", "B12", tr("a C++20 coroutine does the same"), judge_cpp},
  };
}

}  // namespace ringside::generators_lesson
