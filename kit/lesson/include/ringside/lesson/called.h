// How the program's own texts name the program: as the person called it.
#pragma once

#include <string>
#include <string_view>

namespace ringside::inline kit {

// Of a text of the program: "ringside plan zero" as ./run named itself in RINGSIDE_CALLED: "./run plan zero",
// and "ringside run zero" as "./run zero". Columns behind three blanks stay where they are. Without the
// variable the text as it is.
std::string as_called(std::string_view text);

}  // namespace ringside::inline kit
