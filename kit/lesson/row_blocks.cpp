#include "blocks.h"

#include <algorithm>

#include "ringside/base/check.h"
#include "ringside/lesson/rows.h"
#include "run_numbers.h"

namespace ringside::inline kit {
namespace {

bool is_closed(const TextBlock& block, const FigureInput& input) {
  const auto questions = block.words("answers");
  return std::ranges::any_of(questions, [&](const std::string& one) { return input.is_open(one); });
}

LivePart part_of(const TextBlock& block) {
  const std::string part = block.text("part");
  RINGSIDE_CHECK(part == "memory" || part == "traffic" || part == "results",
                 "'" << block.id << "': the live panel has no part '" << part << "'");
  return part == "memory" ? LivePart::kMemory : part == "traffic" ? LivePart::kTraffic : LivePart::kResults;
}

// What make() says of each block's numbers, without those that were not run.
template <typename Shown, typename Make>
std::function<std::vector<Shown>(const FigureInput&)> shown_of(std::vector<TextBlock> blocks, Make make) {
  return [blocks = std::move(blocks), make](const FigureInput& input) {
    std::vector<Shown> all;
    for (const TextBlock& block : blocks) try {
        if (!is_closed(block, input)) all.push_back(make(RunNumbers{block, input.trace, &input}));
      } catch (const NotRun&) {  // there is nothing to say yet
      }
    return all;
  };
}

}  // namespace

std::function<std::vector<Readout>(const FigureInput&)> readouts_of(std::vector<TextBlock> blocks) {
  return shown_of<Readout>(std::move(blocks), [](const RunNumbers& numbers) {
    const TextBlock& block = numbers.block;
    return Readout{numbers.said(block.text("name")), numbers.said(block.text("value"))};
  });
}

std::function<std::vector<LiveLine>(const FigureInput&)> live_of(std::vector<TextBlock> blocks) {
  for (const TextBlock& block : blocks) part_of(block);  // each has one
  return shown_of<LiveLine>(std::move(blocks), [](const RunNumbers& numbers) {
    const TextBlock& block = numbers.block;
    return LiveLine{part_of(block), block.text("name"), numbers.value(block.text("value")),
                    block.text("unit")};
  });
}

FigureMarks marks_of(const TextBlock& block) {
  return [block](const FigureInput& input) {
    std::vector<figure::Mark> marks;
    for (const char* field : {"mark", "level"})
      for (std::string name : block.all(field)) try {
          const std::string place = cut_behind(name, " = ");
          marks.push_back({name, RunNumbers{block, input.trace, &input}.value(place), field[0] == 'm'});
        } catch (const NotRun&) {  // it is not there yet
        }
    return marks;
  };
}

}  // namespace ringside::inline kit
