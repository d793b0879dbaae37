// A figure as CSV (RFC 4180), for a spreadsheet.
#pragma once

#include <string>

#include "ringside/lesson/figure.h"

namespace ringside::figure {

// A head and a row each: for a point of a line or path, a bar, a cell, a box, an item or arrow, an edge, a
// line of source, a row of a table. A number that is none is empty.
std::string to_csv(const Value& value);

}  // namespace ringside::figure
