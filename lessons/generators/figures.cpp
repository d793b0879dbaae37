// The listing with what its lines gave, who ran when, what became of each call, and the variants.
#include <algorithm>
#include <map>

#include "parts.h"
#include "ringside/lesson/tr.h"

namespace ringside::generators_lesson {
namespace {

using namespace figure;

const Nothing kNothing{"No step has been taken yet."};

// Of the section that the instant lies in, as far as it has come.
std::vector<Step> steps_until(const FigureInput& input) {
  std::vector<Step> steps;
  if (input.section == nullptr) return steps;
  for (const RowEvent* event : input.section->rows_of(Step::kTable))
    if (const auto step = row_as<Step>(*event); step && event->time_ns <= input.time_ns)
      steps.push_back(*step);
  return steps;
}

std::string gave(const Step& step) {
  if (step.value.empty() || step.value == "None") return "";
  if (step.what == "left") return tr("{} left in it", step.value);
  if (step.what == "print") return tr("prints {}", step.value);
  if (step.what == "yield" && step.who == kByHand) return tr("next() by hand: {}", step.value);
  if (step.what == "yield") return tr("yields {}", step.value);
  if (step.what == "return") return tr("returns {}", step.value);
  return step.who == kByHand ? tr("next() by hand: StopIteration({})", step.value)
                             : tr("sees StopIteration({})", step.value);
}

Value listing(const FigureInput& input) {
  const std::vector<Step> steps = steps_until(input);
  if (steps.empty()) return kNothing;
  Listing listing;
  for (std::string& line : listing_of(input.config.text("variant"), input.section->name() == kCpp))
    listing.lines.push_back({std::move(line)});
  std::map<int64_t, std::string> before;  // what the line did last
  for (const Step& step : steps) {
    std::string& value = listing.lines.at(static_cast<size_t>(step.line - 1)).value;
    const std::string more = gave(step);
    if (more.empty()) continue;
    const bool again = std::exchange(before[step.line], step.what) == step.what;
    value += again ? " " + step.value : (value.empty() ? "" : ", ") + more;
  }
  listing.current = static_cast<size_t>(steps.back().line - 1);
  return listing;
}

std::string sentence(const FigureInput& input) {
  const std::vector<Step> steps = steps_until(input);
  if (steps.empty()) return "";
  const auto& [line, who, what, value] = steps.back();
  if (what == "left" && value == "0") return tr("All that line {} returned was taken in the end.", line);
  if (what == "left")
    return tr("What line {} returned still holds {} numbers: nobody asked for one.", line, value);
  if (who == kByHand && what == "yield") return tr("By hand, next(numbers(0)) gives {}.", value);
  if (what == "stop") return tr("StopIteration arrives, with a {} as its value.", value);
  if (what == "yield") return tr("{} yields {} in line {}, and waits there.", who, value, line);
  if (what == "return") return tr("{} returns {} in line {}, and is over.", who, value, line);
  if (what == "print") return tr("Line {} prints {}.", line, value);
  return tr("Line {} comes next, in {}.", line, who);
}

Value program(const FigureInput& input) {
  Listing listing;
  for (std::string& line : listing_of(input.config.text("variant")))
    listing.lines.push_back({std::move(line)});
  return listing;
}

Value lanes(const FigureInput& input) {
  const std::vector<Step> steps = steps_until(input);
  if (steps.empty()) return kNothing;
  Lanes lanes{{"step"}, {}, {}};
  const auto lane_of = [&](const std::string& who) {
    const auto found = std::find(lanes.lanes.begin(), lanes.lanes.end(), who);
    const auto lane = static_cast<size_t>(found - lanes.lanes.begin());
    if (found == lanes.lanes.end()) lanes.lanes.push_back(who);
    return lane;
  };
  for (size_t i = 0; i < steps.size(); ++i) {
    const size_t lane = lane_of(steps[i].who);
    const auto at = static_cast<double>(i);
    if (i == 0 || lanes.items.back().lane != lane) lanes.items.push_back({lane, at, at});
    lanes.items.back().to = at + 1;
    const bool returns = steps[i].what == "return" && steps[i].value != "None";
    if ((returns || steps[i].what == "yield") && i + 1 < steps.size())
      lanes.arrows.push_back({lane, lane_of(steps[i + 1].who), at, at + 1, steps[i].value,
                              returns && input.config.is_default("variant")});
  }
  return lanes;
}

Value calls(const FigureInput& input) {
  Table table{{{"call"}, {"yields"}, {"returns"}}, {}};
  for (const Step& step : steps_until(input)) {
    if (!step.who.starts_with("numbers")) continue;
    auto row = std::find_if(table.rows.begin(), table.rows.end(),
                            [&](const auto& cells) { return cells[0].text == step.who; });
    if (row == table.rows.end()) row = table.rows.insert(row, {{step.who}, {""}, {""}});
    if (step.what == "yield") (*row)[1].text += step.value + " ";
    if (step.what == "return") (*row)[2].text = step.value;
  }
  return table.rows.empty() ? Value(kNothing) : table;
}

Value variants(const FigureInput& input) {
  Table table{{{"variant"}, {"language"}, {"prints"}}, {}};
  for (const SectionView& section : input.trace.sections())
    for (const Printed& row : rows_as<Printed>(section))
      if (row.variant != kStepped) table.rows.push_back({{row.variant}, {section.name()}, {row.numbers}});
  return table.rows.empty() ? Value(kNothing) : table;
}

FigureSpec spec(const char* id, std::string title, Value (*value)(const FigureInput&), bool follows) {
  FigureSpec figure{id, std::move(title), value};
  figure.follows_playhead = follows;
  figure.answers = {"output", "place", "next", "tens"};
  return figure;
}

}  // namespace

std::vector<Readout> readouts(const FigureInput& input) {
  std::string printed;
  for (const Step& step : steps_until(input))
    if (step.what == "print") printed += step.value + " ";
  return {{tr("printed so far"), printed.empty() ? tr("nothing") : printed}};
}

std::vector<FigureSpec> figures() {
  std::vector<FigureSpec> all = {
      spec("listing", tr("What each line gives"), listing, true),
      spec("lanes", tr("Who runs, and who gets what"), lanes, true),
      spec("calls", tr("What becomes of each call"), calls, true),
      spec("variants", tr("One thing changed: what is printed then"), variants, false)};
  all[0].sentence = sentence;
  all.push_back({.id = kProgram, .title = tr("The program"), .value = program, .of_configuration = true});
  return all;
}

}  // namespace ringside::generators_lesson
