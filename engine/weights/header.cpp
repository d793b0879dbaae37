#include "header.h"

#include <array>
#include <optional>
#include <string>
#include <utility>

#include "ringside/base/json.h"
#include "ringside/base/text.h"

namespace ringside::inline weights {
namespace {

constexpr size_t kMostName = 4096;  // bytes
constexpr std::string_view kNotesKey = "__metadata__";

// Called for each piece of the text, in order. It stands in one of these at any time.
enum class Inside : uint8_t { kFile, kHeader, kNotes, kTensor, kShape, kOffsets };

class HeaderReader : public nlohmann::json_sax<Json> {
 public:
  explicit HeaderReader(std::span<const std::byte> data) : data_(data) {}
  WeightHeader take() { return std::move(header_); }

  bool null() override { wrong("null"); }
  bool boolean(bool) override { wrong("true or false"); }
  bool number_integer(number_integer_t) override { wrong("a negative number"); }
  bool number_float(number_float_t, const string_t&) override { wrong("a fraction"); }
  bool binary(binary_t&) override { wrong("binary data"); }

  bool number_unsigned(number_unsigned_t value) override {
    if (inside_ != Inside::kShape && inside_ != Inside::kOffsets) wrong("a number");
    if (value > uint64_t{INT64_MAX}) wrong("a number past 2^63");
    const size_t most = inside_ == Inside::kShape ? kMostWeightDimensions : 2;
    if (count_ == most) wrong("more numbers than " + std::to_string(most));
    numbers_[count_++] = int64_t(value);
    return true;
  }

  bool string(string_t& text) override {
    if (inside_ == Inside::kNotes) {
      if (!header_.notes.emplace(field_, text).second) wrong("a key that stands twice");
      if (header_.notes.size() > kMostWeightNotes)
        wrong("more entries than " + std::to_string(kMostWeightNotes));
      return true;
    }
    if (inside_ != Inside::kTensor || field_ != "dtype") wrong("a text");
    const std::optional<WeightType> type = from_text<WeightType>(text);
    if (!type) wrong("the unknown element type '" + as_typed(text) + "'");
    tensor_.type = *type;
    return true;
  }

  bool start_object(size_t) override {
    if (inside_ == Inside::kFile) {
      inside_ = Inside::kHeader;
    } else if (inside_ == Inside::kHeader) {
      inside_ = name_ == kNotesKey ? Inside::kNotes : Inside::kTensor;
      field_.clear();
      tensor_ = {};
      has_ = {};
    } else {
      wrong("an object");
    }
    return true;
  }

  bool key(string_t& key) override {
    if (key.size() > kMostName) wrong("a name of over " + std::to_string(kMostName) + " bytes");
    if (inside_ == Inside::kHeader) {
      if (key == kNotesKey && std::exchange(has_notes_, true))
        throw JsonRejected("{} stands twice", kNotesKey);
      name_ = key;
      return true;
    }
    field_ = key;
    if (inside_ == Inside::kNotes) return true;
    const size_t place = size_t(key == "shape") + 2 * size_t(key == "data_offsets");
    if (place == 0 && key != "dtype") wrong("the unknown key");
    if (std::exchange(has_[place], true)) wrong("a key that stands twice");
    return true;
  }

  bool end_object() override {
    if (inside_ == Inside::kTensor) keep();
    inside_ = inside_ == Inside::kHeader ? Inside::kFile : Inside::kHeader;
    return true;
  }

  bool start_array(size_t) override {
    if (inside_ != Inside::kTensor || field_ == "dtype") wrong("an array");
    inside_ = field_ == "shape" ? Inside::kShape : Inside::kOffsets;
    count_ = 0;
    return true;
  }

  bool end_array() override {
    if (inside_ == Inside::kShape) {
      tensor_.shape.assign(numbers_.begin(), numbers_.begin() + int64_t(count_));
    } else {
      if (count_ != 2) wrong("less than two numbers");
      begin_ = numbers_[0], end_ = numbers_[1];
    }
    inside_ = Inside::kTensor;
    return true;
  }

  bool parse_error(size_t byte, const std::string&, const nlohmann::detail::exception&) override {
    throw JsonRejected("the header is not JSON from its byte {} on", byte);
  }

 private:
  // Names the place: what stands there is not allowed.
  [[noreturn]] void wrong(const std::string& what) const {
    if (inside_ == Inside::kFile || inside_ == Inside::kHeader)
      throw JsonRejected("the header has {} where tensors by name are expected", what);
    throw JsonRejected("'{}', {}: {} is not allowed", as_typed(name_), as_typed(field_), what);
  }

  void keep() {
    field_ = "its fields";
    if (has_ != std::array<bool, 3>{true, true, true}) wrong("less than dtype, shape and data_offsets");
    if (begin_ > end_ || uint64_t(end_) > data_.size())
      throw JsonRejected("'{}' lies at {} to {}, the file has data up to {}", as_typed(name_), begin_, end_,
                         data_.size());
    if (const int64_t bytes = weight_bytes(tensor_.type, tensor_.shape); end_ - begin_ != bytes)
      throw JsonRejected("'{}' has {} bytes, its shape takes {}", as_typed(name_), end_ - begin_, bytes);
    if (header_.tensors.size() == kMostSafetensors)
      throw JsonRejected("more than {} tensors", kMostSafetensors);
    tensor_.name = name_;
    tensor_.bytes = data_.subspan(size_t(begin_), size_t(end_ - begin_));
    header_.tensors.push_back(std::move(tensor_));
  }

  const std::span<const std::byte> data_;
  WeightHeader header_;
  Inside inside_ = Inside::kFile;
  std::string name_, field_;
  WeightTensor tensor_;
  std::array<bool, 3> has_{};  // dtype, shape, data_offsets
  bool has_notes_ = false;
  std::array<int64_t, kMostWeightDimensions> numbers_{};
  size_t count_ = 0;
  int64_t begin_ = 0, end_ = 0;
};

}  // namespace

int bits_of(WeightType type) {
  static constexpr std::array<uint8_t, 22> kBits = {8,  4,  6,  6,  8,  8,  8,  8,  8,  8,  8,
                                                    16, 16, 16, 16, 32, 32, 32, 64, 64, 64, 64};
  return kBits.at(size_t(type));
}

int64_t weight_bytes(WeightType type, std::span<const int64_t> shape) {
  int64_t bits = bits_of(type);
  for (const int64_t size : shape)
    if (size < 0 || __builtin_mul_overflow(bits, size, &bits))
      throw JsonRejected("a shape of more than 2^63 bits, or of a negative size");
  if (bits % 8 != 0) throw JsonRejected("a tensor of {} bits, which are no whole bytes", bits);
  return bits / 8;
}

WeightHeader read_weight_header(std::string_view json, std::span<const std::byte> data) {
  if (has_longer_text(json, kMostWeightText))
    throw JsonRejected("a text of over {} bytes in the header", kMostWeightText);
  if (json.empty() || json.front() != '{') throw JsonRejected("the header does not begin with a brace");
  HeaderReader reader(data);
  Json::sax_parse(json, &reader);
  return reader.take();
}

}  // namespace ringside::inline weights
