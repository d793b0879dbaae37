// Bytes that no peer should send: random ones, and frames of ours with a few bytes changed. Half of those get
// their checksum mended, so that they pass the header.
#pragma once

#include <zlib.h>

#include <cstdlib>
#include <cstring>

#include "ringside/base/random.h"
#include "ringside/parameter_server/wire.h"

namespace ringside::testing {

inline void mend_checksum(Bytes& bytes) {
  if (bytes.size() < ps::kHeaderBytes) return;
  const auto length = static_cast<uint32_t>(bytes.size() - ps::kHeaderBytes);
  std::memcpy(&bytes[24], &length, 4);
  uLong crc = crc32(0, bytes.data(), 28);
  if (length > 0) crc = crc32(crc, &bytes[ps::kHeaderBytes], length);
  const auto low = static_cast<uint32_t>(crc);
  std::memcpy(&bytes[28], &low, 4);
}

inline Bytes random_bytes(RandomStream& random, size_t most) {
  Bytes bytes(random.below(most + 1));
  for (uint8_t& byte : bytes) byte = static_cast<uint8_t>(random.next());
  return bytes;
}

// One to four changes: a byte, a piece cut out, bytes put in, the end cut off, an extreme number.
inline Bytes mutate(Bytes bytes, RandomStream& random) {
  for (uint64_t left = 1 + random.below(4); left > 0 && !bytes.empty(); --left) {
    const size_t at = random.below(bytes.size());
    const auto place = bytes.begin() + static_cast<std::ptrdiff_t>(at);
    switch (random.below(5)) {
      case 0:
        bytes[at] = static_cast<uint8_t>(random.next());
        break;
      case 1:
        bytes.erase(place, place + static_cast<std::ptrdiff_t>(1 + random.below(bytes.size() - at)));
        break;
      case 2: {
        const Bytes more = random_bytes(random, 16);
        bytes.insert(place, more.begin(), more.end());
        break;
      }
      case 3:
        bytes.resize(at);
        break;
      default:
        for (size_t i = at; i < bytes.size() && i < at + 4; ++i)
          bytes[i] = random.below(2) == 0 ? 0xff : 0x00;
    }
  }
  if (random.below(2) == 0) mend_checksum(bytes);
  return bytes;
}

// A whole number from the environment, for tests that a person runs longer than ./check does.
inline int64_t from_environment(const char* name, int64_t standard) {
  const char* text = std::getenv(name);
  return text == nullptr ? standard : std::atoll(text);
}

}  // namespace ringside::testing
