// IDX, the format of MNIST: 0 0 TYPE DIMENSIONS, each size as 4 bytes, big-endian, then the elements, row by
// row.
#include <fmt/format.h>

#include <filesystem>
#include <string>
#include <string_view>

#include "collector.h"
#include "ringside/base/error.h"
#include "ringside/base/text.h"

namespace ringside::inline data {
namespace {

constexpr size_t kMostDimensions = 8;
constexpr uint8_t kByteElements = 8;

struct IdxFile {
  std::string_view data;
  size_t count = 0;       // the first dimension
  size_t item_bytes = 1;  // all others
};

[[noreturn]] void refuse_idx(const std::string& path, const std::string& why) {
  throw InputError("{}: {}; expected an IDX file of bytes, as MNIST's", typed_path(path), why);
}

IdxFile parse_idx(std::string_view bytes, const std::string& path) {
  const auto byte = [&](size_t i) { return uint8_t(bytes[i]); };
  if (bytes.size() < 4 || byte(0) != 0 || byte(1) != 0) refuse_idx(path, "it does not begin as one");
  if (byte(2) != kByteElements)
    refuse_idx(path, fmt::format("elements of type 0x{:02x}, read is 0x08", byte(2)));
  const size_t dimensions = byte(3), header = 4 + 4 * dimensions;
  if (dimensions == 0 || dimensions > kMostDimensions)
    refuse_idx(path, fmt::format("{} dimensions, allowed are 1 to {}", dimensions, kMostDimensions));
  if (bytes.size() < header) refuse_idx(path, "it is cut off");
  IdxFile file{bytes.substr(header), 0, 1};
  size_t all = 1;
  for (size_t d = 0; d < dimensions; ++d) {
    const size_t at = 4 + 4 * d;
    const size_t size =
        size_t{byte(at)} << 24 | size_t{byte(at + 1)} << 16 | size_t{byte(at + 2)} << 8 | byte(at + 3);
    if (__builtin_mul_overflow(all, size, &all)) refuse_idx(path, "its sizes are past 2^64");
    if (d == 0)
      file.count = size;
    else
      file.item_bytes *= size;
  }
  if (all != file.data.size())
    refuse_idx(path, fmt::format("its sizes take {} bytes, it has {}", all, file.data.size()));
  return file;
}

// train-images-idx3-ubyte.gz -> train-labels-idx1-ubyte.gz
std::string labels_beside(const std::string& images) {
  const std::filesystem::path path(images);
  std::string name = path.filename().string();
  const auto replace = [&](std::string_view old, std::string_view by) {
    const size_t at = name.rfind(old);
    if (at == std::string::npos) return false;
    name.replace(at, old.size(), by);
    return true;
  };
  if (!replace("images", "labels"))
    throw UsageError("{}: which file has the labels? Its name has no 'images' to be 'labels'",
                     typed_path(images));
  replace("idx3", "idx1");
  return (path.parent_path() / name).string();
}

}  // namespace

Labelled read_idx(const LabelledSource& source) {
  std::deque<std::string> bytes;
  const IdxFile images = parse_idx(bytes.emplace_back(read_source(source.path, source.limits)), source.path);
  std::string label_bytes;
  IdxFile labels{};
  const bool labelled = !source.label.empty();
  if (labelled) {
    const std::string path = source.labels.empty() ? labels_beside(source.path) : source.labels;
    label_bytes = read_source(path, source.limits);
    labels = parse_idx(label_bytes, path);
    if (labels.item_bytes != 1 || labels.count != images.count)
      refuse_idx(path, fmt::format("{} labels of {} bytes for {} images; a label is a byte", labels.count,
                                   labels.item_bytes, images.count));
  }
  Collector collector(source);
  if (images.item_bytes == 0) collector.refuse("its images have no pixels");
  collector.labelled().pixels = true;
  for (size_t i = 0; i < images.count; ++i) {
    collector.row = int64_t(i) + 1;
    const int label = labelled ? uint8_t(labels.data[i]) : 0;
    collector.add(images.data.substr(i * images.item_bytes, images.item_bytes), std::to_string(label));
  }
  return collector.take(std::move(bytes));
}

}  // namespace ringside::inline data
