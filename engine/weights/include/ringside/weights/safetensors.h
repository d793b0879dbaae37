// Weights of the world: files of Hugging Face's safetensors format, read and written.
//
//   8 bytes     n, the length of the header, little-endian
//   n bytes     JSON: {"__metadata__": {text: text},
//                      name: {"dtype": "F32", "shape": [2, 3], "data_offsets": [begin, end]}, ...}; blanks
//   the rest    the tensors' bytes, row-major, little-endian; offsets count from here
//
// The format's rules: https://github.com/huggingface/safetensors. A file is bytes from outside: nothing in it
// is believed before it is bounded. What is refused: a header over 100 MB or over the file's end, JSON of any
// other form, a name that stands twice, offsets outside the data, tensors that overlap or leave a hole, sizes
// that are not shape times element. Reading keeps, beside the mapped file, at most twice the header and 1 MB.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ringside/base/field.h"

namespace ringside::inline weights {

inline constexpr size_t kMostSafetensorsHeader = 100'000'000;  // bytes, the format's own bound
inline constexpr size_t kMostSafetensors = 30'000;             // tensors of one file
inline constexpr size_t kMostWeightDimensions = 8;
inline constexpr size_t kMostWeightNotes = 1'000;           // entries of "__metadata__"
inline constexpr size_t kMostWeightText = size_t{1} << 18;  // bytes of one of them

// In the format's order, which is the order of the data.
enum class WeightType : uint8_t {
  kBool,
  kF4,
  kF6E2M3,
  kF6E3M2,
  kU8,
  kI8,
  kF8E5M2,
  kF8E4M3,
  kF8E8M0,
  kF8E4M3Fnuz,
  kF8E5M2Fnuz,
  kI16,
  kU16,
  kF16,
  kBF16,
  kI32,
  kU32,
  kF32,
  kC64,
  kF64,
  kI64,
  kU64
};
inline constexpr std::string_view kWeightTypeTexts[] = {
    "BOOL",    "F4",          "F6_E2M3",     "F6_E3M2", "U8",  "I8",  "F8_E5M2", "F8_E4M3",
    "F8_E8M0", "F8_E4M3FNUZ", "F8_E5M2FNUZ", "I16",     "U16", "F16", "BF16",    "I32",
    "U32",     "F32",         "C64",         "F64",     "I64", "U64"};
inline std::span<const std::string_view> texts(WeightType) { return kWeightTypeTexts; }
int bits_of(WeightType type);  // of one element

struct WeightTensor {
  std::string name;
  WeightType type = WeightType::kF32;
  std::vector<int64_t> shape;
  std::span<const std::byte> bytes;  // begins where the file says, at any address
};
// In fp32, of F32, F16 and BF16; InputError naming the tensor where it is of another type.
std::vector<float> widened_values(const WeightTensor& tensor);
using WeightNotes = std::map<std::string, std::string>;  // "__metadata__"; {"format": "pt"} for PyTorch

// The file mapped into memory: who cuts it short meanwhile breaks the reading process (SIGBUS).
class SafetensorsFile {
 public:
  // InputError naming the file, what is wrong and what to do; of a pickle (.bin, .pt), how to convert it.
  explicit SafetensorsFile(const std::filesystem::path& path);
  ~SafetensorsFile();
  SafetensorsFile& operator=(SafetensorsFile&&) = delete;

  const std::deque<WeightTensor>& tensors() const { return tensors_; }  // as they stand in the header
  const WeightTensor* find(std::string_view name) const;                // null: there is none
  const WeightNotes& notes() const { return notes_; }

 private:
  std::span<const std::byte> mapped_;
  std::deque<WeightTensor> tensors_;
  std::vector<uint32_t> by_name_;
  WeightNotes notes_;
};

// Whole or not there (base/atomic_file.h). Data are in the order of Python's library: element types from the
// largest down, then names; so the bytes are the same as its. UsageError where a name stands twice or
// the bytes are not those of the shape; InputError where it cannot be written.
void write_safetensors(const std::filesystem::path& path, std::vector<WeightTensor> tensors,
                       const WeightNotes& notes = {});

}  // namespace ringside::inline weights
