// What blocks of text (lesson_of.h) say of the rows of a run: readouts, lines of the live panel, marks.
#pragma once

#include <functional>
#include <vector>

#include "ringside/lesson/lesson.h"
#include "ringside/lesson/text_blocks.h"

namespace ringside::inline kit {

// Those that have been run, and answer no question that is still open.
std::function<std::vector<Readout>(const FigureInput&)> readouts_of(std::vector<TextBlock> blocks);
// InvariantError naming the block of a part that there is not.
std::function<std::vector<LiveLine>(const FigureInput&)> live_of(std::vector<TextBlock> blocks);
// A figure's, by its fields `mark` and `level`, of those that have been run.
FigureMarks marks_of(const TextBlock& block);

}  // namespace ringside::inline kit
