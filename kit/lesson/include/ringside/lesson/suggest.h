// "Did you mean": the known name that a mistyped one is closest to.
#pragma once

#include <string>
#include <vector>

namespace ringside::inline kit {

// " (did you mean ranks?)", or "" where nothing known is close: at most one edit in
// three characters (insert, delete, replace, or swap of neighbours; Damerau 1964).
std::string suggestion(const std::string& typed, const std::vector<std::string>& known);

// "there is no lesson 'zreo' (did you mean zero?); there are: zero, drift"
std::string no_such(const std::string& what, const std::string& typed, const std::vector<std::string>& known);

// "a, b, c"
std::string join(const std::vector<std::string>& words, const std::string& separator = ", ");

}  // namespace ringside::inline kit
