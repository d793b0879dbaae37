#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <ostream>
#include <set>
#include <tuple>

#include "header.h"
#include "ringside/base/atomic_file.h"
#include "ringside/base/error.h"
#include "ringside/base/json.h"
#include "ringside/base/text.h"
#include "ringside/weights/safetensors.h"

namespace ringside::inline weights {
namespace {

std::string quoted(const std::string& text) {
  try {
    return Json(text).dump();
  } catch (const Json::exception&) {
    throw UsageError("'{}': names and notes of weights are UTF-8", as_typed(text));
  }
}

void check_tensor(const WeightTensor& tensor) try {
  const int64_t bytes = weight_bytes(tensor.type, tensor.shape);
  if (tensor.shape.size() > kMostWeightDimensions)
    throw JsonRejected("{} dimensions, allowed are {}", tensor.shape.size(), kMostWeightDimensions);
  if (int64_t(tensor.bytes.size()) != bytes)
    throw JsonRejected("{} bytes are given, its shape takes {}", tensor.bytes.size(), bytes);
  if (tensor.name == "__metadata__") throw JsonRejected("no tensor may have this name");
} catch (const JsonRejected& rejected) {
  throw UsageError("'{}': {}", as_typed(tensor.name), rejected.why);
}

// Padded with blanks, so that the data begin at a multiple of 8.
std::string header_of(const std::vector<WeightTensor>& tensors, const WeightNotes& notes) {
  std::string json = "{", between;
  if (!notes.empty()) {
    for (const auto& [key, value] : notes) {
      json += (between.empty() ? "\"__metadata__\":{" : between) + quoted(key) + ":" + quoted(value);
      between = ",";
    }
    json += "}";
  }
  size_t begin = 0;
  for (const WeightTensor& tensor : tensors) {
    const size_t end = begin + tensor.bytes.size();
    json +=
        fmt::format(R"({}{}:{{"dtype":"{}","shape":[{}],"data_offsets":[{},{}]}})", between,
                    quoted(tensor.name), to_string(tensor.type), fmt::join(tensor.shape, ","), begin, end);
    between = ",", begin = end;
  }
  json += "}";
  json.resize((json.size() + 7) / 8 * 8, ' ');
  return json;
}

}  // namespace

void write_safetensors(const std::filesystem::path& path, std::vector<WeightTensor> tensors,
                       const WeightNotes& notes) {
  std::ranges::sort(tensors, [](const WeightTensor& a, const WeightTensor& b) {
    return std::tie(b.type, a.name) < std::tie(a.type, b.name);
  });
  std::set<std::string_view> names;
  for (const WeightTensor& tensor : tensors) {
    check_tensor(tensor);
    if (!names.insert(tensor.name).second)
      throw UsageError("the name '{}' is given twice", as_typed(tensor.name));
  }
  const std::string header = header_of(tensors, notes);
  if (header.size() > kMostSafetensorsHeader || tensors.size() > kMostSafetensors)
    throw UsageError("{}: {} tensors in one file, allowed are {} with {} bytes of header", typed_path(path),
                     tensors.size(), kMostSafetensors, kMostSafetensorsHeader);
  write_file_atomically(path, [&](std::ostream& out) {
    for (int i = 0; i < 8; ++i) out.put(char(header.size() >> (8 * i) & 0xff));
    out << header;
    for (const WeightTensor& tensor : tensors)
      out.write(reinterpret_cast<const char*>(tensor.bytes.data()),
                static_cast<std::streamsize>(tensor.bytes.size()));
  });
}

}  // namespace ringside::inline weights
