// A lesson's Markdown as plain text: paragraphs wrapped, no marks.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace ringside {

// Every line behind `indent` blanks. Items of a list keep their "- "; code and tables stay line by line.
std::string spoken_text(std::string_view markdown, size_t width, size_t indent);

}  // namespace ringside
