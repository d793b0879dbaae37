// A figure as text: worth reading in 80 to 100 columns of a terminal, with and without colour.
#pragma once

#include <string>

#include "ringside/lesson/figure.h"

namespace ringside::figure {

// Lines end with '\n' and have no blanks at their end; no line passes `width`
// columns, 40 or more. What there is too much of is cut, and a last line says how much. With `colour`, ANSI
// codes; without, nothing is said by colour alone.
// An unfit figure (why_unfit) becomes the reason.
std::string to_text(const Value& value, int width, bool colour);

// A number that was measured: "12.00 MiB" of "bytes", "2.25 Ψ", "1,048,576". A whole one whole, others with
// four digits.
std::string value_text(double value, const std::string& unit);

// What stands in a cell: its text, or the number of one that has none.
std::string text_of(const TableCell& cell, const TableColumn& column);

// Words in the colour of an ink, where colour is wanted.
std::string painted(const std::string& words, Ink ink, bool colour);
std::string bold(const std::string& words, bool colour);

}  // namespace ringside::figure
