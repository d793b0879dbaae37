// Short ways to declare a figure.
#pragma once

#include <string>
#include <vector>

#include "ringside/lesson/figure.h"

namespace ringside {

using FigureFunction = figure::Value (*)(const FigureInput&);
using SentenceFunction = std::string (*)(const FigureInput&);

// It shows the whole run. It stays closed while one of the predictions `answers` is open.
FigureSpec figure_of_run(std::string id, std::string title, FigureFunction value,
                         std::vector<std::string> answers = {});

// It shows the instant at which the playhead stands, and says in a sentence what is to be seen there.
FigureSpec figure_of_instant(std::string id, std::string title, FigureFunction value,
                             SentenceFunction sentence = nullptr, std::vector<std::string> answers = {});

// The same figures, each with a word or two for its tab, in their order.
std::vector<FigureSpec> with_tabs(std::vector<FigureSpec> figures, const std::vector<std::string>& tabs);

namespace figure {

bool is_empty(const Value& value);                      // it has no line, row, node, ...
Value or_nothing(Value value, const std::string& why);  // Nothing{why} where it is empty
Listing listing_of(const std::string& text);            // its lines, none of them with a value yet
// By their titles; one of numbers has its unit in brackets: {"stage", "left [GB]", "calls []"}.
std::vector<TableColumn> columns(const std::vector<std::string>& titles);

}  // namespace figure
}  // namespace ringside
