#include "ringside/weights/safetensors.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <numeric>
#include <system_error>
#include <utility>

#include "header.h"
#include "ringside/base/bfloat16.h"
#include "ringside/base/error.h"
#include "ringside/base/float_bits.h"
#include "ringside/base/json.h"
#include "ringside/base/text.h"

namespace ringside::inline weights {
namespace {

using Bytes = std::span<const std::byte>;
constexpr size_t kLength = 8;  // bytes in front of the header

Bytes map_file(const std::filesystem::path& path) {
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);  // a pipe would wait for a writer
  struct stat status {};
  int reason = file < 0 || ::fstat(file, &status) != 0 ? errno : 0;
  if (reason == 0 && !S_ISREG(status.st_mode)) reason = S_ISDIR(status.st_mode) ? EISDIR : ENODEV;
  const auto size = size_t(status.st_size);
  void* at = nullptr;
  if (reason == 0 && size > 0) at = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file, 0);
  if (at == MAP_FAILED) reason = errno;
  if (file >= 0) ::close(file);
  if (reason != 0)
    throw InputError("{}: cannot be read: {}", typed_path(path), std::generic_category().message(reason));
  return {static_cast<const std::byte*>(at), at == nullptr ? 0 : size};
}

std::string_view text_of(Bytes bytes) { return {reinterpret_cast<const char*>(bytes.data()), bytes.size()}; }

// What other files begin with, which people take for weights.
void reject_known(std::string_view text) {
  const bool zip = text.starts_with("PK\x03\x04");
  const bool pickle = text.size() >= 2 && text[0] == '\x80' && text[1] >= 2 && text[1] <= 5;
  if (zip || pickle)
    throw JsonRejected(
        "a pickle, as torch.save writes it: reading one can run any program, so it is not read. Convert it "
        "in Python, if you trust it: safetensors.torch.save_file(torch.load(PATH, weights_only=True), "
        "'model.safetensors')");
  if (text.starts_with("version https://git-lfs"))
    throw JsonRejected("a pointer of Git LFS in the place of the file: fetch it with git lfs pull");
}

// The header's place; what lies behind it are the data.
size_t header_bytes(Bytes file) {
  const std::string_view text = text_of(file);
  uint64_t length = 0;
  for (size_t i = 0; i < std::min(kLength, file.size()); ++i)
    length |= uint64_t{static_cast<uint8_t>(file[i])} << (8 * i);
  const bool fits = file.size() >= kLength && length <= file.size() - kLength;
  if (!fits || length > kMostSafetensorsHeader) {
    reject_known(text);
    if (file.size() < kLength)
      throw JsonRejected("{} bytes, less than the 8 of the header's length", file.size());
    if (fits) throw JsonRejected("a header of {} bytes, allowed are {}", length, kMostSafetensorsHeader);
    throw JsonRejected("a header of {} bytes in a file of {}", length, file.size());
  }
  return size_t(length);
}

std::vector<uint32_t> sorted(const std::deque<WeightTensor>& tensors, auto&& key) {
  std::vector<uint32_t> order(tensors.size());
  std::iota(order.begin(), order.end(), 0u);
  std::ranges::sort(order, std::less<>(), [&](uint32_t i) { return key(tensors[i]); });
  return order;
}

// The tensors cover the data: none overlaps another, and nothing lies between two.
void check_cover(const std::deque<WeightTensor>& tensors, Bytes data) {
  const std::byte* end = data.data();
  const auto place = [](const WeightTensor& t) { return std::pair(t.bytes.data(), t.bytes.size()); };
  for (const uint32_t i : sorted(tensors, place)) {
    const WeightTensor& tensor = tensors[i];
    if (tensor.bytes.data() != end)
      throw JsonRejected("'{}' begins at {}, the tensor before it ends at {}", as_typed(tensor.name),
                         tensor.bytes.data() - data.data(), end - data.data());
    end += tensor.bytes.size();
  }
  if (end != data.data() + data.size())
    throw JsonRejected("{} bytes behind the last tensor", data.data() + data.size() - end);
}

}  // namespace

std::vector<float> widened_values(const WeightTensor& tensor) {
  const bool known =
      tensor.type == WeightType::kF32 || tensor.type == WeightType::kF16 || tensor.type == WeightType::kBF16;
  if (!known)
    throw InputError("'{}' is of type {}; weights are read in F32, F16, BF16", as_typed(tensor.name),
                     to_string(tensor.type));
  std::vector<float> values(tensor.bytes.size() * 8 / size_t(bits_of(tensor.type)));
  if (tensor.type == WeightType::kF32) {
    if (!values.empty()) std::memcpy(values.data(), tensor.bytes.data(), tensor.bytes.size());
    return values;
  }
  for (size_t i = 0; i < values.size(); ++i) {
    uint16_t bits = 0;
    std::memcpy(&bits, tensor.bytes.data() + 2 * i, 2);
    values[i] = tensor.type == WeightType::kBF16 ? bf16_to_float(bits) : half_to_float(bits);
  }
  return values;
}

SafetensorsFile::SafetensorsFile(const std::filesystem::path& path) : mapped_(map_file(path)) {
  try {
    const size_t length = header_bytes(mapped_);
    const Bytes data = mapped_.subspan(kLength + length);
    WeightHeader header = read_weight_header(text_of(mapped_.subspan(kLength, length)), data);
    tensors_ = std::move(header.tensors), notes_ = std::move(header.notes);
    by_name_ = sorted(tensors_, [](const WeightTensor& t) { return std::string_view(t.name); });
    for (size_t i = 1; i < by_name_.size(); ++i)
      if (tensors_[by_name_[i]].name == tensors_[by_name_[i - 1]].name)
        throw JsonRejected("the name '{}' stands twice", as_typed(tensors_[by_name_[i]].name));
    check_cover(tensors_, data);
  } catch (const JsonRejected& rejected) {
    if (!mapped_.empty()) ::munmap(const_cast<std::byte*>(mapped_.data()), mapped_.size());
    throw InputError("{}: {}; expected a whole safetensors file: fetch or write it again", typed_path(path),
                     rejected.why);
  }
}

SafetensorsFile::~SafetensorsFile() {
  if (!mapped_.empty()) ::munmap(const_cast<std::byte*>(mapped_.data()), mapped_.size());
}

const WeightTensor* SafetensorsFile::find(std::string_view name) const {
  const auto name_at = [&](uint32_t i) { return std::string_view(tensors_[i].name); };
  const auto found = std::ranges::lower_bound(by_name_, name, std::less<>(), name_at);
  return found == by_name_.end() || name_at(*found) != name ? nullptr : &tensors_[*found];
}

}  // namespace ringside::inline weights
