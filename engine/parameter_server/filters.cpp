#include "ringside/parameter_server/filters.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <functional>
#include <span>

#include <zstd.h>
#include "ringside/base/check.h"
#include "ringside/base/float_bits.h"

namespace ringside::inline ps {
namespace {

// The places of the values that pass: large enough, and among the largest. In their order.
std::vector<size_t> passing(const Filters& filters, const std::vector<float>& values) {
  std::vector<size_t> places;
  for (size_t i = 0; i < values.size(); ++i)
    if (std::abs(values[i]) >= float(filters.significant)) places.push_back(i);
  const auto most = size_t(std::ceil(filters.top * double(values.size())));
  if (places.size() <= most) return places;
  std::ranges::stable_sort(places, std::greater(), [&](size_t i) { return std::abs(values[i]); });
  places.resize(most);
  std::ranges::sort(places);
  return places;
}

// Each value as `convert` has it, one after the other.
template <typename Convert>
Bytes converted(const std::vector<float>& values, Convert convert) {
  constexpr size_t kWidth = sizeof(convert(0.0F));
  Bytes bytes(values.size() * kWidth);
  for (size_t i = 0; i < values.size(); ++i) {
    const auto value = convert(values[i]);
    std::memcpy(bytes.data() + i * kWidth, &value, kWidth);
  }
  return bytes;
}

template <typename From, typename Convert>
std::vector<float> read_back(std::span<const uint8_t> bytes, Convert convert) {
  if (bytes.size() % sizeof(From) != 0) throw FrameError(FrameFault::kTooShort, "a value that is cut");
  std::vector<float> values(bytes.size() / sizeof(From));
  for (size_t i = 0; i < values.size(); ++i) {
    From value;
    std::memcpy(&value, bytes.data() + i * sizeof value, sizeof value);
    values[i] = convert(value);
  }
  return values;
}

// FNV-1a over the keys as 64-bit words, with a last mix; two lists of one number never meet in practice.
uint64_t signature_of(const std::vector<uint64_t>& keys) {
  uint64_t hash = 0xcbf29ce484222325;
  for (const uint64_t key : keys) {
    hash = (hash ^ key) * 0x100000001b3;
    hash ^= hash >> 29;
  }
  return hash ^ keys.size();
}

}  // namespace

KeyedValues KeptBack::pass(const Filters& filters, const KeyedValues& gradient, uint64_t range_begin,
                           size_t range_size) {
  if (!filters.keeps_back() || gradient.values.empty()) return gradient;
  waits_.resize(range_size);
  const auto place = [&](size_t i) { return gradient.whole ? i : gradient.keys[i] - range_begin; };
  std::vector<float> wanted = gradient.values;
  for (size_t i = 0; i < wanted.size(); ++i) {
    wanted[i] += waits_[place(i)];
    waits_[place(i)] = wanted[i];
  }

  const std::vector<size_t> places = passing(filters, wanted);
  KeyedValues passed{.whole = gradient.whole && places.size() == wanted.size()};
  for (const size_t i : places) {
    if (!passed.whole) passed.keys.push_back(range_begin + place(i));
    passed.values.push_back(wanted[i]);
  }
  ValueForm form = filters.pushed;
  passed.values = decode_values(form, encode_values(form, passed.values));
  for (size_t k = 0; k < places.size(); ++k) waits_[place(places[k])] = wanted[places[k]] - passed.values[k];
  return passed;
}

// int8: the scale, a float, then each value over the scale, rounded to nearest; scale = largest / 127.
Bytes encode_values(ValueForm& form, const std::vector<float>& values) {
  const bool finite = std::ranges::all_of(values, [](float value) { return std::isfinite(value); });
  if (!finite && form != ValueForm::kFloat64) form = ValueForm::kFloat32;
  const auto as_it_is = [](float value) { return value; };
  if (form == ValueForm::kFloat32) return converted(values, as_it_is);
  if (form == ValueForm::kFloat16) return converted(values, float_to_half);
  if (form == ValueForm::kFloat64) return converted(values, [](float value) { return double(value); });
  float largest = 0;
  for (const float value : values) largest = std::max(largest, std::abs(value));
  const float scale = largest / 127;
  Bytes bytes = converted(std::vector<float>{scale}, as_it_is);
  const Bytes steps = converted(values, [scale](float value) {
    return static_cast<int8_t>(scale > 0 ? std::clamp(std::nearbyint(value / scale), -127.0F, 127.0F) : 0.0F);
  });
  bytes.insert(bytes.end(), steps.begin(), steps.end());
  return bytes;
}

std::vector<float> decode_values(ValueForm form, const Bytes& bytes) {
  if (form == ValueForm::kFloat32) return read_back<float>(bytes, [](float value) { return value; });
  if (form == ValueForm::kFloat16) return read_back<uint16_t>(bytes, half_to_float);
  if (form == ValueForm::kFloat64) return read_back<double>(bytes, [](double value) { return float(value); });
  if (form != ValueForm::kInt8) throw FrameError(FrameFault::kValue, "values in a form that does not exist");
  Reader reader(bytes);
  float scale = 0;
  reader(scale);
  return read_back<int8_t>(std::span(bytes).subspan(sizeof scale),
                           [scale](int8_t value) { return float(value) * scale; });
}

Bytes pack_bytes(const Bytes& bytes) {
  constexpr int kLevel = 1;
  Bytes packed(ZSTD_compressBound(bytes.size()));
  const size_t size = ZSTD_compress(packed.data(), packed.size(), bytes.data(), bytes.size(), kLevel);
  RINGSIDE_CHECK(!ZSTD_isError(size), ZSTD_getErrorName(size));
  packed.resize(size);
  return packed;
}

Bytes unpack_bytes(const Bytes& bytes, size_t raw) {
  // A block of 4 bytes, the smallest, holds 2^17 at most: RFC 8878, 3.1.1.2.
  constexpr size_t kMostRatio = size_t{1} << 15;
  if (raw > kMostPayload || raw / kMostRatio > bytes.size())
    throw FrameError(FrameFault::kLength, "more bytes than these can hold");
  if (ZSTD_getFrameContentSize(bytes.data(), bytes.size()) != raw)
    throw FrameError(FrameFault::kLength, "packed bytes of another length than the frame says");
  Bytes plain(raw);
  const size_t size = ZSTD_decompress(plain.data(), plain.size(), bytes.data(), bytes.size());
  if (ZSTD_isError(size) || size != raw)
    throw FrameError(FrameFault::kValue, "bytes that zstd does not read");
  return plain;
}

// The exponent of fp16 has 5 bits, bias 15; the fraction 10. Below 2^-14 numbers stand 2^-24 apart.
uint16_t float_to_half(float value) {
  const auto sign = uint16_t(std::signbit(value) ? 0x8000 : 0);
  const float magnitude = std::min(std::abs(value), 65504.0F);
  if (magnitude == 0) return sign;
  int exponent = 0;
  std::frexp(magnitude, &exponent);  // magnitude = m 2^exponent, m in [0.5, 1)
  const int step = std::max(exponent - 11, -24);
  // In steps of 2^step it has 11 bits at most; nearbyint rounds to nearest even.
  const auto steps = uint32_t(std::nearbyint(std::ldexp(magnitude, -step)));
  return uint16_t(sign | (uint32_t(step + 24) * 1024 + steps));
}

Block block_of_keys(bool whole, const std::vector<uint64_t>& keys) {
  Block block{.key_form = whole ? KeyForm::kWhole : KeyForm::kList, .keys = keys};
  if (!whole) block.signature = signature_of(keys);
  return block;
}

void put_values(Block& block, const std::vector<float>& values, ValueForm form, bool zstd) {
  block.values = encode_values(form, values);
  block.value_form = form;
  block.raw_bytes = 0;
  if (!zstd || block.values.empty()) return;
  Bytes packed = pack_bytes(block.values);
  if (packed.size() >= block.values.size()) return;  // it does not pay
  block.raw_bytes = uint32_t(block.values.size());
  block.values = std::move(packed);
}

std::vector<float> values_of(const Block& block) {
  if (block.raw_bytes == 0) return decode_values(block.value_form, block.values);
  return decode_values(block.value_form, unpack_bytes(block.values, block.raw_bytes));
}

std::optional<std::vector<uint64_t>> KnownLists::keys_of(const Block& block, bool caching) {
  if (block.key_form == KeyForm::kWhole) return std::vector<uint64_t>();
  if (block.key_form == KeyForm::kSignature) {
    const auto found = lists_.find(block.signature);
    return found == lists_.end() ? std::nullopt : std::optional(found->second);
  }
  if (block.key_form != KeyForm::kList)
    throw FrameError(FrameFault::kValue, "keys in a form that does not exist");
  if (!caching || block.keys.empty() || !lists_.try_emplace(block.signature, block.keys).second)
    return block.keys;
  if (block.signature != signature_of(block.keys)) {
    lists_.erase(block.signature);
    throw FrameError(FrameFault::kValue, "a signature of another list of keys");
  }
  order_.push_back(block.signature);
  if (order_.size() > kMost) {
    lists_.erase(order_.front());
    order_.pop_front();
  }
  return block.keys;
}

Block ListsElsewhere::shortened(const Block& block, NodeId server) const {
  if (block.key_form != KeyForm::kList || !known_.contains({server, block.signature})) return block;
  Block shorter = block;
  shorter.key_form = KeyForm::kSignature;
  shorter.keys.clear();
  return shorter;
}

void ListsElsewhere::answered(const Block& block, NodeId server) {
  constexpr size_t kMost = 65536;
  if (block.key_form != KeyForm::kList || block.keys.empty()) return;
  if (known_.size() >= kMost) known_.clear();  // they will be sent once more
  known_.insert({server, block.signature});
}

}  // namespace ringside::inline ps
