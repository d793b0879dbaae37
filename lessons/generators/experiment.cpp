// Which line runs when, what goes where, and what is printed.

#include "embedded.h"
#include "parts.h"

namespace ringside::lessons::generators {
namespace {

using namespace figure;

constexpr const char *kFew = "0 1 3 4", *kTen = "0 1 2 3 4 5 6 7 8 9", *kAll = "0 1 2 3 4 5 6 7 8 9 0 1 3 4";

// In Python.
std::string printed(const Trace& trace, const std::string& variant) {
  return row_of<Printed>(trace, variant, kPython).numbers;
}

// Of next(numbers(0)) by hand: "stop", what it raised; "left", how many numbers were left in that.
std::optional<std::string> by_hand(const Trace& trace, const std::string& what) {
  const auto step = row_where<Step>(trace, having(&Step::who, kByHand, &Step::what, what));
  return step ? std::optional(step->value) : std::nullopt;
}

// "It prints 0 1 3 4."
ClaimOf prints(const char* id, const char* variant, std::string program) {
  return {id, [=](const Trace& trace) {
            const std::string found = printed(trace, variant);
            return holds_if(found == kFew, tr("{}: Python printed {}", program, found));
          }};
}

ClaimResult judge_stop(const Trace& trace) {
  const auto stop = by_hand(trace, "stop"), left = by_hand(trace, "left");
  if (!stop)
    return not_testable(tr("next(numbers(0)) gave {} in this run, so no generator returned at its first step",
                           needed(by_hand(trace, "yield"))));
  const std::string in_it = left ? tr("; {} of 10 numbers were left in it", *left) : "";
  return holds_if(*stop != "None", tr("next(numbers(0)) raised StopIteration({}){}", *stop, in_it));
}

ClaimResult judge_cpp(const Trace& trace) {
  const auto [variant, language, numbers] = needed(rows_in<Printed>(trace.find(kCpp))).front();
  const std::string python = printed(trace, variant);
  return judged(python == numbers, variant, python, numbers);
}

Words printed_words(const Trace& trace) {
  const std::string numbers = printed_by(rows_in<Step>(trace.find(kPython)));
  return numbers.empty() ? Words() : Words{numbers};
}

Words line_after_three(const Trace& trace) {
  bool has_run = false;  // line 3
  for (const Step& step : rows_in<Step>(trace.find(kPython))) {
    if (has_run && step.what == "line" && step.line != 3) return {std::to_string(step.line)};
    has_run = has_run || (step.line == 3 && step.what != "line");
  }
  return {};
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

double count_printed(const FigureInput& input) {
  return double(std::ranges::count(needed(rows_in<Step>(input.section)), "print", &Step::what));
}

std::string gave(const Step& step) {
  if (step.value.empty() || step.value == "None") return "";
  if (step.what == "left") return tr("{} left in it", step.value);
  if (step.what == "print") return tr("prints {}", step.value);
  if (step.what == "yield" && step.who != kByHand) return tr("yields {}", step.value);
  if (step.what == "return") return tr("returns {}", step.value);
  const std::string got = step.what == "stop" ? tr("StopIteration({})", step.value) : step.value;
  return step.who == kByHand ? tr("next(numbers(0)) gives {}", got) : tr("sees {}", got);
}

Value program(const FigureInput& input) { return listing_of(program_of(input.config.text("variant"))); }

Value listing(const FigureInput& input) {
  const std::vector<Step> steps = needed(rows_in<Step>(input.section, input.time_ns));
  Listing listing = listing_of(program_of(input.config.text("variant"), input.section->name()));
  std::map<int64_t, std::string> before;  // what the line did last
  for (const Step& step : steps) {
    std::string& value = listing.lines.at(size_t(step.line - 1)).value;
    const std::string more = gave(step);
    if (more.empty()) continue;
    const bool again = std::exchange(before[step.line], step.what) == step.what;
    value += again ? " " + step.value : (value.empty() ? "" : ", ") + more;
  }
  listing.current = size_t(steps.back().line - 1);
  return listing;
}

std::string sentence(const FigureInput& input) {
  const std::vector<Step> steps = needed(rows_in<Step>(input.section, input.time_ns));
  const auto& [line, who, what, value] = steps.back();
  if (what == "left" && value == "0")
    return tr("The iterator that line {} returned has no number left: it was asked for all of them.", line);
  if (what == "left")
    return tr("The iterator that line {} returned still has {} numbers: nobody called next() on it.", line,
              value);
  if (who == kByHand && what == "stop")
    return tr("After the program, next(numbers(0)) raises StopIteration({}).", value);
  if (who == kByHand) return tr("After the program, next(numbers(0)) gives {}.", value);
  const std::string more = gave(steps.back());
  return more.empty() ? tr("Line {} comes next, in {}.", line, who) : tr("Line {}, {}: {}.", line, who, more);
}

Value lanes(const FigureInput& input) {
  const std::vector<Step> steps = rows_in<Step>(input.section, input.time_ns);
  Lanes lanes{{"step"}, {}, {}};
  const auto lane_of = [&](const std::string& who) {
    const auto found = std::ranges::find(lanes.lanes, who);
    const auto lane = size_t(found - lanes.lanes.begin());
    if (found == lanes.lanes.end()) lanes.lanes.push_back(who);
    return lane;
  };
  for (size_t i = 0; i < steps.size(); ++i) {
    const size_t lane = lane_of(steps[i].who);
    const auto at = double(i);
    if (i == 0 || lanes.items.back().lane != lane) lanes.items.push_back({lane, at, at});
    lanes.items.back().to = at + 1;
    const bool returns = steps[i].what == "return" && steps[i].value != "None";
    const bool ignored = returns && input.config.is_default("variant");
    if ((returns || steps[i].what == "yield") && i + 1 < steps.size())
      lanes.arrows.push_back({lane, lane_of(steps[i + 1].who), at, at + 1,
                              ignored ? tr("{}, which for ignores", steps[i].value) : steps[i].value});
  }
  return lanes;
}

std::vector<Readout> readouts(const FigureInput& input) {
  const std::string printed = printed_by(rows_in<Step>(input.section, input.time_ns));
  return {{tr("printed so far"), printed.empty() ? tr("nothing") : printed}};
}

}  // namespace

Lesson make_lesson() {
  const auto lines = [](const Config& config) {
    Words all;
    for (const figure::SourceLine& line : figure::listing_of(program_of(config.text("variant"))).lines)
      all.push_back(line.text);
    return all;
  };
  return lesson_of(embedded("texts.inc"),
                   {.run = run,
                    .questions = {{"output", printed_words, by_variant({kFew}, {kAll})},
                                  {"next", line_after_three, by_variant({"9"}, {"11"}), {}, lines},
                                  {"tens", variants_with_ten}},
                    .claims = {prints("output", "source", tr("the program")),
                               {"stop", judge_stop},
                               prints("lost", "caught", "rest = yield from numbers(id)"),
                               {"coroutine", judge_cpp}},
                    .figures = {{"listing", listing, sentence}, {"lanes", lanes}, {"program", program}},
                    .gauges = {{"printed", count_printed}},
                    .readouts = readouts});
}

}  // namespace ringside::lessons::generators
