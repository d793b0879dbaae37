// Full-width forms of ASCII, as Chinese input methods type them.
#pragma once

#include <string>
#include <string_view>

namespace ringside::inline kit {

// "２（Ｎ－１）／Ｎ" as "2(N-1)/N"; all other letters stay.
std::string half_width(std::string_view utf8);

}  // namespace ringside::inline kit
