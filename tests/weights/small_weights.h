// Small tensors and files of theirs, for the tests of safetensors.
#pragma once

#include <cstring>
#include <string>
#include <vector>

#include "ringside/weights/safetensors.h"

namespace ringside {

struct OwnedTensor {
  WeightTensor tensor;
  std::vector<std::byte> bytes;
};

// Of that many bytes, each another one.
inline std::vector<std::byte> some_bytes(size_t count, int from = 1) {
  std::vector<std::byte> bytes(count);
  for (size_t i = 0; i < count; ++i) bytes[i] = static_cast<std::byte>(from + static_cast<int>(i));
  return bytes;
}

// A safetensors file of a header as typed, and so many bytes of data.
inline std::string file_of(const std::string& header, size_t data = 24) {
  std::string file;
  for (int i = 0; i < 8; ++i) file += static_cast<char>(header.size() >> (8 * i) & 0xff);
  file += header;
  for (size_t i = 0; i < data; ++i) file += static_cast<char>(i + 1);
  return file;
}

inline const char* const kSmallHeader =
    R"({"__metadata__":{"format":"pt"},"a":{"dtype":"F32","shape":[2,2],"data_offsets":[0,16]},)"
    R"("b":{"dtype":"BF16","shape":[4],"data_offsets":[16,24]},"none":{"dtype":"I64","shape":[0,3],"data_offsets":[24,24]}})";

}  // namespace ringside
