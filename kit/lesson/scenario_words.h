// How scenario() writes a value.
#pragma once

#include <string>

namespace ringside::inline kit {

// As it is where the shell would leave it alone, else in single quotes.
std::string quote_for_shell(const std::string& text);

}  // namespace ringside::inline kit
