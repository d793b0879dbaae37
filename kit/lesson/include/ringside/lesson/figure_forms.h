// Short ways to declare a figure.
#pragma once

#include <string>
#include <vector>

#include "ringside/lesson/figure.h"

namespace ringside {

namespace figure {

bool is_empty(const Value& value);                      // it has no line, row, node, ...
Value or_nothing(Value value, const std::string& why);  // Nothing{why} where it is empty
Listing listing_of(const std::string& text);            // its lines, none of them with a value yet
// By their titles; one of numbers has its unit in brackets: {"stage", "left [GB]", "calls []"}.
std::vector<TableColumn> columns(const std::vector<std::string>& titles);

}  // namespace figure
}  // namespace ringside
