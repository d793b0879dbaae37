// Bytes that no peer should send: random ones, and frames of ours with a few bytes changed. Half of those get
// their checksum mended, so that they pass the header.
#pragma once

#include <zlib.h>

#include <cstring>

#include "mutated.h"
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

inline Bytes mutate(const Bytes& whole, RandomStream& random) {
  Bytes bytes = mutated(whole, random);
  if (random.below(2) == 0) mend_checksum(bytes);
  return bytes;
}

}  // namespace ringside::testing
