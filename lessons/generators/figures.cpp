// The listing with what its lines gave, who ran when, what became of each call, and the variants.
#include <algorithm>
#include <map>

#include "parts.h"
#include "ringside/lesson/figure_forms.h"
#include "ringside/lesson/tr.h"

namespace ringside::generators_lesson {
namespace {

using namespace figure;

const std::string kNoStep = tr("No step has been taken yet.");

std::string gave(const Step& step) {
  if (step.value.empty() || step.value == "None") return "";
  if (step.what == "left") return tr("{} left in it", step.value);
  if (step.what == "print") return tr("prints {}", step.value);
  if (step.what == "yield" && step.who != kByHand) return tr("yields {}", step.value);
  if (step.what == "return") return tr("returns {}", step.value);
  const std::string got = step.what == "stop" ? tr("StopIteration({})", step.value) : step.value;
  return step.who == kByHand ? tr("next() by hand: {}", got) : tr("sees {}", got);
}

Value program(const FigureInput& input) { return listing_of(program_of(input.config.text("variant"))); }

Value listing(const FigureInput& input) {
  const std::vector<Step> steps = rows_in<Step>(input.section, input.time_ns);
  if (steps.empty()) return Nothing{kNoStep};
  Listing listing = listing_of(program_of(input.config.text("variant"), input.section->name()));
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
  const std::vector<Step> steps = rows_in<Step>(input.section, input.time_ns);
  if (steps.empty()) return "";
  const auto& [line, who, what, value] = steps.back();
  if (what == "left" && value != "0")
    return tr("What line {} returned still holds {} numbers: nobody asked for one.", line, value);
  const std::string more = gave(steps.back());
  return more.empty() ? tr("Line {} comes next, in {}.", line, who) : tr("Line {}, {}: {}.", line, who, more);
}

Value lanes(const FigureInput& input) {
  const std::vector<Step> steps = rows_in<Step>(input.section, input.time_ns);
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
  return or_nothing(lanes, kNoStep);
}

Value variants(const FigureInput& input) {
  return or_nothing(table_of_rows(input.trace, Printed::kTable), kNoStep);
}

}  // namespace

std::vector<Readout> readouts(const FigureInput& input) {
  const std::string printed = printed_by(rows_in<Step>(input.section, input.time_ns));
  return {{tr("printed so far"), printed.empty() ? tr("nothing") : printed}};
}

std::vector<FigureSpec> figures() {
  const std::vector<std::string> all = {"output", "next", "tens"};  // the questions that each figure answers
  return with_tabs({figure_of_instant("listing", tr("What each line gives"), listing, sentence, all),
                    figure_of_instant("lanes", tr("Who runs, and who gets what"), lanes, nullptr, all),
                    figure_of_run("variants", tr("One thing changed: what is printed then"), variants, all),
                    {.id = kProgram, .title = tr("The program"), .value = program, .of_configuration = true}},
                   {tr("lines"), tr("who runs"), tr("changes"), tr("program")});
}

}  // namespace ringside::generators_lesson
