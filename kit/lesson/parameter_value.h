// One value of one declared parameter: read, checked, written back canonically.
#pragma once

#include <string>

#include "ringside/lesson/config.h"

namespace ringside::inline kit {

// The canonical text of `typed`: integers without leading zeros, counts with the
// largest binary suffix that divides them, reals as the shortest text that reads
// back as the same double. UsageError naming the parameter and what is allowed.
std::string canonical_value(const ParameterSpec& spec, const std::string& typed);

// Values of canonical text.
int64_t integer_value(const ParameterSpec& spec, const std::string& canonical);
double real_value(const std::string& canonical);

// As a scenario line has it: as it is where the shell would leave it alone, else in single quotes.
std::string quote_for_shell(const std::string& text);

}  // namespace ringside::inline kit
