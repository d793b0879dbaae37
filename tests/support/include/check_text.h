// Checks of messages, in words that Catch2 2 and 3 share: CHECK(lacks(message, {"ranks", "1 to 8"}) == "").
#pragma once

#include <initializer_list>
#include <string>

// "", or the text and the first of the parts that it does not contain.
inline std::string lacks(const std::string& text, std::initializer_list<std::string> parts) {
  for (const std::string& part : parts) {
    if (text.find(part) == std::string::npos) return "'" + text + "' lacks '" + part + "'";
  }
  return "";
}
