// Figures computed and checked: every front end asks here.
#pragma once

#include <cstddef>
#include <functional>
#include <string>

#include "ringside/lesson/lesson.h"

namespace ringside::figure {

// More than this is no picture any more: the lesson is to thin it out.
inline constexpr size_t kMostPoints = 200'000;

// Points of lines, bars, cells, boxes, items and arrows, nodes and edges, lines of source: what drawing
// costs.
size_t points(const Value& value);

const char* kind_of(const Value& value);  // "lines", "bars", ...

// Why a figure cannot be shown, and what to do: a number that is NaN or infinite (a gap in a line may be
// NaN), x that falls, sizes that do not fit each other, text that is not UTF-8, too many points, nothing in
// it; "" where it can.
std::string why_unfit(const Value& value);

// Calls `take` with every text of a figure.
void each_text(const Value& value, const std::function<void(const std::string&)>& take);

// InvariantError naming lesson and figure, for a function that throws and for a value that is unfit.
Value compute(const Lesson& lesson, const FigureSpec& spec, const FigureInput& input);
// The figure's title where it has no sentence. InvariantError naming lesson and figure, where it throws.
std::string sentence(const Lesson& lesson, const FigureSpec& spec, const FigureInput& input);

// None where the lesson has none. InvariantError naming the lesson, where they throw.
std::vector<Readout> readouts(const Lesson& lesson, const FigureInput& input);

struct Thinned {
  Value value;
  size_t left_out = 0;  // of its points
};
// At most `most` points, 100 or more. Of a line, the least and the highest of each stretch and both ends;
// every nth row and column of a grid, and of a matrix the worst cell of each block; the longest items of
// lanes; the lines around the current one; the first rows of everything else.
Thinned thinned(Value value, size_t most);

}  // namespace ringside::figure
