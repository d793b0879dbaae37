// Text from anywhere, made fit for formats that insist on UTF-8.
#pragma once

#include <string>
#include <string_view>

namespace ringside::flight {

std::string valid_utf8(std::string_view text);   // bytes that are no UTF-8 become U+FFFD
std::string json_quoted(std::string_view text);  // as a JSON string with its quotes, likewise

}  // namespace ringside::flight
