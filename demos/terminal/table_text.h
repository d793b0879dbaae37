// A table of words for the terminal, drawn as the tables of figures are.
#pragma once

#include <string>
#include <vector>

namespace ringside {

// A column whose title begins with a blank is of numbers. What is wider than `width` is cut.
std::string table_text(const std::vector<std::string>& titles,
                       const std::vector<std::vector<std::string>>& rows, int width);

}  // namespace ringside
