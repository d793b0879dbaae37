// What the blocks of a lesson's text say (lesson_of.h), kind by kind.
#pragma once

#include "ringside/lesson/lesson_of.h"
#include "ringside/lesson/parameter_specs.h"

namespace ringside::inline kit {

// InputError naming the block and the field that blocks of its kind have not: its text would be lost.
void check_fields(const TextBlock& block);

// A field's number, or formula without symbols; `otherwise` where the block lacks it.
double number_of(const TextBlock& block, const char* field, double otherwise);
// InvariantError naming a block whose kind there is not, or some of whose choices have no meaning.
ParameterSpec parameter_of(const TextBlock& block);

// A figure that needs no function: a block that has a table, curves or lines.
FigureValue value_of(const TextBlock& block, const FigureMarks& marks);

// Those that have been run, and answer no question that is still open.
std::function<std::vector<Readout>(const FigureInput&)> readouts_of(std::vector<TextBlock> blocks);
// InvariantError naming the block of a part that there is not.
std::function<std::vector<LiveLine>(const FigureInput&)> live_of(std::vector<TextBlock> blocks);
// A figure's, by its fields `mark` and `level`, of those that have been run.
FigureMarks marks_of(const TextBlock& block);

}  // namespace ringside::inline kit
