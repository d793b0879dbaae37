// Checks of messages, in words that Catch2 2 and 3 share: CHECK(lacks(message, {"ranks", "1 to 8"}) == "").
#pragma once

#include <initializer_list>
#include <string>

// What the error of that kind says that `act` ends with, or `otherwise`.
template <typename Kind, typename Act>
std::string message_of(const Act& act, const std::string& otherwise = "no error") {
  try {
    act();
  } catch (const Kind& error) {
    return error.what();
  }
  return otherwise;
}

// "", or the text and the first of the parts that it does not contain.
inline std::string lacks(const std::string& text, std::initializer_list<std::string> parts) {
  for (const std::string& part : parts) {
    if (text.find(part) == std::string::npos) return "'" + text + "' lacks '" + part + "'";
  }
  return "";
}
