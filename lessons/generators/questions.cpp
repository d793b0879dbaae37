// What is asked before the run, and the claims that its trace decides.
#include "parts.h"
#include "ringside/lesson/tr.h"

namespace ringside::generators_lesson {
namespace {

const std::string kFew = "0 1 3 4", kTen = "0 1 2 3 4 5 6 7 8 9", kAll = kTen + " " + kFew;
const Words kPlaces = {"into StopIteration.value, unread", "to print, one by one",
                       "nowhere: line 3 is an error"};
const Words kWithTen = {"yield_from", "caught", "no_yield"};

std::optional<std::string> printed(const Trace& trace, const std::string& variant,
                                   const char* language = kPython) {
  const SectionView* section = trace.find(language);
  for (const Printed& row : section == nullptr ? std::vector<Printed>{} : rows_as<Printed>(*section))
    if (row.variant == variant) return row.numbers;
  return std::nullopt;
}

// The first step of Python's that is so.
std::optional<Step> first_step(const Trace& trace, const std::function<bool(const Step&)>& is_so) {
  const SectionView* section = trace.find(kPython);
  for (const Step& step : section == nullptr ? std::vector<Step>{} : rows_as<Step>(*section))
    if (is_so(step)) return step;
  return std::nullopt;
}
auto by_hand(const std::string& what) {
  return [what](const Step& step) { return step.who == kByHand && step.what == what; };
}

Verdict holds_if(bool holds) { return holds ? Verdict::kHolds : Verdict::kFails; }
const ClaimResult kNotRun{Verdict::kNotTestable, "this has not run"};

ClaimResult judge_output(const Trace& trace) {
  const auto numbers = printed(trace, "source");
  return numbers ? ClaimResult{holds_if(*numbers == kFew), tr("Python printed {}", *numbers)} : kNotRun;
}

ClaimResult judge_stop(const Trace& trace) {
  const auto stop = first_step(trace, by_hand("stop")), left = first_step(trace, by_hand("left"));
  if (!left) return {Verdict::kNotTestable, tr("numbers(0) returned nothing in this run")};
  if (!stop) return {Verdict::kFails, tr("next(numbers(0)) raised nothing")};
  return {holds_if(stop->value != "None"),
          tr("next(numbers(0)) raised StopIteration({}); {} of 10 numbers were left in what the run returned",
             stop->value, left->value)};
}

ClaimResult judge_lost(const Trace& trace) {
  const auto numbers = printed(trace, "caught");
  if (!numbers) return kNotRun;
  return {holds_if(!numbers->starts_with(kTen)), tr("rest = yield from numbers(id) caught it: {}", *numbers)};
}

ClaimResult judge_cpp(const Trace& trace) {
  for (const char* variant : {"source", "caught"}) {
    const auto python = printed(trace, variant), cpp = printed(trace, variant, kCpp);
    if (python && cpp)
      return {holds_if(*python == *cpp), tr("{}: Python printed {}, C++ {}", variant, *python, *cpp)};
  }
  return kNotRun;
}

// ---- Measured answers -----------------------------------------------------------

std::optional<Words> printed_words(const Trace& trace) {
  const auto numbers = printed(trace, kStepped);
  return numbers ? std::optional(Words{*numbers}) : std::nullopt;
}

std::optional<Words> place_of_ten(const Trace& trace) {
  const auto numbers = printed_words(trace);
  if (!numbers) return std::nullopt;
  if (numbers->front().starts_with(kTen)) return Words{kPlaces[1]};
  const auto stop = first_step(trace, by_hand("stop"));
  return Words{stop && stop->value != "None" ? kPlaces[0] : kPlaces[2]};
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

// What is right of the source's program, and of its variants; a wrong answer is left out where it is right.
PredictionSpec ask(std::string id, std::string question, AnswerKind kind, Words of_source, Words of_variants,
                   std::vector<WrongWords> wrong, std::optional<Words> (*measured)(const Trace&)) {
  const auto right = [=](const Config& config) {
    return config.is_default("variant") ? of_source : of_variants;
  };
  const auto others = [=](const Config& config) {
    std::vector<WrongWords> list = wrong;
    std::erase_if(list, [&](const WrongWords& answer) { return answer.answer == right(config); });
    return list;
  };
  PredictionSpec spec{std::move(id), std::move(question)};
  spec.figure = kProgram;
  spec.words = WordQuestion{kind, right, {}, others, measured};
  return spec;
}

}  // namespace

std::vector<PredictionSpec> predictions() {
  const char kHandsOn[] = "return hands the numbers on", kLost[] = "what is returned is lost";
  std::vector<PredictionSpec> all = {
      ask("output", tr("What does the program print? Write the numbers with blanks between them."),
          AnswerKind::kText, {kFew}, {kAll},
          {{kHandsOn, {kAll}}, {kLost, {kFew}}, {"the iterator is printed", {"<range_iterator> " + kFew}}},
          printed_words),
      ask("place", tr("id is 0: where do the numbers 0 to 9 go?"), AnswerKind::kChoice, {kPlaces[0]},
          {kPlaces[1]},
          {{kHandsOn, {kPlaces[1]}},
           {kLost, {kPlaces[0]}},
           {"a generator cannot return a value", {kPlaces[2]}}},
          place_of_ten),
      ask("next", tr("Line 3 has just run. Which line comes next?"), AnswerKind::kLine, {"9"}, {"11"},
          {{kHandsOn, {"11"}}, {kLost, {"9"}}, {"the branches below run too", {"5"}}}, line_after_three),
      ask("tens",
          tr("Which of these print 0 to 9? yield_from: line 3 yields from the range. caught: a caller with "
             "rest = yield from numbers(id) yields from rest. no_yield: every branch returns an iterator."),
          AnswerKind::kChoices, kWithTen, kWithTen,
          {{"only yield hands numbers on", {"yield_from"}},
           {kLost, {"yield_from", "no_yield"}},
           {kHandsOn, kVariants},
           {"def makes it a generator", {"yield_from", "caught"}}},
          variants_with_ten),
  };
  all[1].words->options = always(kPlaces);
  all[2].words->options = [](const Config& config) { return listing_of(config.text("variant")); };
  all[3].words->options = always(kVariants);
  return all;
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
