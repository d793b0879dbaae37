// Bytes that nobody should send or write: some of ours with a few changes. One mutator for all that reads
// bytes from outside. RINGSIDE_FUZZ_SECONDS says for how long: 3 under AddressSanitizer (CMakePresets.json),
// 3600 by hand.
#pragma once

#include <algorithm>
#include <cctype>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "ringside/base/random.h"

namespace ringside::testing {

// A whole number from the environment, for tests that a person runs longer than ./check does.
inline int64_t from_environment(const char* name, int64_t standard) {
  const char* text = std::getenv(name);
  return text == nullptr ? standard : std::atoll(text);
}
inline std::chrono::seconds fuzz_time() {
  return std::chrono::seconds(from_environment("RINGSIDE_FUZZ_SECONDS", 1));
}

// Of std::string or a vector of bytes: one to four changes.
template <typename Bytes>
Bytes mutated(Bytes bytes, RandomStream& random) {
  using Byte = typename Bytes::value_type;
  constexpr std::string_view kWords[] = {"-1",
                                         "0",
                                         "255",
                                         "4294967295",
                                         "9223372036854775807",
                                         "1e999",
                                         "99999999999999999999",
                                         "{",
                                         "}",
                                         "[",
                                         "]",
                                         "[[[[[[[[",
                                         ",",
                                         ":",
                                         "\"",
                                         "\"\"",
                                         "\\",
                                         "\\u0000",
                                         "\\ud800",
                                         "null",
                                         "true",
                                         "\r\n",
                                         "\xEF\xBB\xBF",
                                         "\t",
                                         "..",
                                         "/"};
  const uint64_t changes = random.below(2) == 0 ? 1 : 1 + random.below(4);
  for (uint64_t left = changes; left > 0 && !bytes.empty(); --left) {
    const size_t at = random.below(bytes.size());
    const auto place = bytes.begin() + static_cast<std::ptrdiff_t>(at);
    const size_t some = 1 + random.below(std::min<size_t>(bytes.size() - at, 40));
    const auto end_of_some = place + static_cast<std::ptrdiff_t>(some);
    switch (random.below(9)) {
      case 0:
        bytes[at] = static_cast<Byte>(random.next());
        break;
      case 1:
        bytes[at] = static_cast<Byte>(bytes[at] ^ (1 << random.below(8)));
        break;
      case 2:
        bytes.erase(place, end_of_some);
        break;
      case 3: {
        Bytes more(random.below(17), Byte{});
        for (Byte& byte : more) byte = static_cast<Byte>(random.next());
        bytes.insert(place, more.begin(), more.end());
        break;
      }
      case 4:
        bytes.resize(random.below(2) == 0 ? at : bytes.size() - std::min(bytes.size(), some));
        break;
      case 5:
        for (size_t i = at; i < bytes.size() && i < at + 4; ++i)
          bytes[i] = static_cast<Byte>(random.below(2) == 0 ? 0xff : 0x00);
        break;
      case 6: {
        const Bytes piece(place, end_of_some);
        bytes.insert(bytes.begin() + static_cast<std::ptrdiff_t>(random.below(bytes.size() + 1)),
                     piece.begin(), piece.end());
        break;
      }
      case 7: {
        const std::string_view word = kWords[random.below(std::size(kWords))];
        bytes.insert(place, word.begin(), word.end());
        break;
      }
      default: {  // in the place of a number, if there is one
        auto digit = place;
        while (digit != bytes.end() && !std::isdigit(static_cast<unsigned char>(*digit))) ++digit;
        auto behind = digit;
        while (behind != bytes.end() && std::isdigit(static_cast<unsigned char>(*behind))) ++behind;
        const std::string_view word = kWords[random.below(7)];
        bytes.insert(bytes.erase(digit, behind), word.begin(), word.end());
      }
    }
  }
  return bytes;
}

}  // namespace ringside::testing
