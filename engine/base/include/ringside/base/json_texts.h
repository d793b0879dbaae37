// One line of JSON Lines: an object of which a few keys are wanted, as texts. Without the JSON library's
// header.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ringside::inline base {

struct JsonTexts {
  std::vector<std::string> texts;  // of each key; whole numbers, true and false as they are written
  std::string why;                 // not empty: it is rejected, for this reason, which names the key
};
// Objects within are passed over; at most 32 deep, 10,000 values.
JsonTexts json_texts(std::string_view object, std::span<const std::string> keys);

}  // namespace ringside::inline base
