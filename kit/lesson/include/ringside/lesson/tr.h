// Every text that a person reads passes through tr(): a whole sentence with places for values, never glued
// together from pieces, so that it can be translated.
#pragma once

#include <fmt/format.h>

#include <string>
#include <string_view>

namespace ringside::inline kit {

// The text in the learner's language. There is English so far.
std::string_view translated(std::string_view english);

// tr("Rank {} waits for rank {}.", 2, 0)
template <typename... Args>
std::string tr(fmt::format_string<Args...> english, Args&&... args) {
  const fmt::string_view text = english;
  const std::string_view known = translated({text.data(), text.size()});
  return fmt::vformat(fmt::string_view(known.data(), known.size()), fmt::make_format_args(args...));
}

}  // namespace ringside::inline kit
