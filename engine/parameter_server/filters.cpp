#include "ringside/parameter_server/filters.h"

#include <zlib.h>

#include <algorithm>
#include <cmath>

#include "ringside/base/check.h"

namespace ringside::ps {
namespace {

// The places of the values that pass: large enough, and among the largest. In their order.
std::vector<size_t> passing(const Filters& filters, const std::vector<float>& values) {
  std::vector<size_t> places;
  for (size_t i = 0; i < values.size(); ++i)
    if (std::abs(values[i]) >= static_cast<float>(filters.significant)) places.push_back(i);
  const auto most = static_cast<size_t>(std::ceil(filters.top * static_cast<double>(values.size())));
  if (places.size() <= most) return places;
  std::stable_sort(places.begin(), places.end(),
                   [&](size_t a, size_t b) { return std::abs(values[a]) > std::abs(values[b]); });
  places.resize(most);
  std::sort(places.begin(), places.end());
  return places;
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

size_t bytes_of(ValueForm form) {
  switch (form) {
    case ValueForm::kFloat32:
      return 4;
    case ValueForm::kFloat16:
      return 2;
    case ValueForm::kInt8:
      return 1;
    case ValueForm::kFloat64:
      return 8;
  }
  throw FrameError(FrameFault::kValue, "values in a form that does not exist");
}

// int8: the scale, a float, then each value over the scale, rounded to nearest; scale = largest / 127.
Bytes encode_values(ValueForm& form, const std::vector<float>& values) {
  const bool finite =
      std::all_of(values.begin(), values.end(), [](float value) { return std::isfinite(value); });
  if (!finite && form != ValueForm::kFloat64) form = ValueForm::kFloat32;
  Writer writer;
  float largest = 0;
  for (const float value : values) largest = std::max(largest, std::abs(value));
  const float scale = largest / 127;
  if (form == ValueForm::kInt8) writer(scale);
  for (const float value : values) {
    if (form == ValueForm::kFloat32) writer(value);
    if (form == ValueForm::kFloat16) writer(float_to_half(value));
    if (form == ValueForm::kFloat64) writer(static_cast<double>(value));
    if (form == ValueForm::kInt8)
      writer(
          static_cast<int8_t>(scale > 0 ? std::clamp(std::nearbyint(value / scale), -127.0F, 127.0F) : 0.0F));
  }
  return writer.take();
}

std::vector<float> decode_values(ValueForm form, const Bytes& bytes) {
  Reader reader(bytes);
  std::vector<float> values;
  float scale = 0;
  const size_t width = bytes_of(form);
  if (form == ValueForm::kInt8) reader(scale);
  if (reader.left() % width != 0) throw FrameError(FrameFault::kTooShort, "a value that is cut");
  values.reserve(reader.left() / width);
  const auto next = [&]<typename T>(T value) {
    reader(value);
    return value;
  };
  while (reader.left() > 0) {
    switch (form) {
      case ValueForm::kFloat32:
        values.push_back(next(float{}));
        break;
      case ValueForm::kFloat16:
        values.push_back(half_to_float(next(uint16_t{})));
        break;
      case ValueForm::kInt8:
        values.push_back(static_cast<float>(next(int8_t{})) * scale);
        break;
      case ValueForm::kFloat64:
        values.push_back(static_cast<float>(next(double{})));
        break;
    }
  }
  return values;
}

Bytes deflate_bytes(const Bytes& bytes) {
  Bytes packed(compressBound(static_cast<uLong>(bytes.size())));
  auto size = static_cast<uLongf>(packed.size());
  const int status = compress2(packed.data(), &size, bytes.data(), static_cast<uLong>(bytes.size()), 1);
  RINGSIDE_CHECK_EQ(status, Z_OK);
  packed.resize(size);
  return packed;
}

Bytes inflate_bytes(const Bytes& bytes, size_t raw) {
  // Deflate makes nothing smaller than by 1032: https://zlib.net/zlib_tech.html
  if (raw > kMostPayload || raw > 1032 * (bytes.size() + 1))
    throw FrameError(FrameFault::kLength, "more bytes than these can hold");
  Bytes plain(raw + 1);  // a byte more shows that there is more
  auto size = static_cast<uLongf>(plain.size());
  if (uncompress(plain.data(), &size, bytes.data(), static_cast<uLong>(bytes.size())) != Z_OK || size != raw)
    throw FrameError(FrameFault::kValue, "bytes that zlib does not read");
  plain.resize(raw);
  return plain;
}

// The exponent of fp16 has 5 bits, bias 15; the fraction 10. Below 2^-14 numbers stand 2^-24 apart.
uint16_t float_to_half(float value) {
  const auto sign = static_cast<uint16_t>(std::signbit(value) ? 0x8000 : 0);
  const float magnitude = std::min(std::abs(value), 65504.0F);
  if (magnitude == 0) return sign;
  int exponent = 0;
  std::frexp(magnitude, &exponent);  // magnitude = m 2^exponent, m in [0.5, 1)
  const int step = std::max(exponent - 11, -24);
  // In steps of 2^step it has 11 bits at most; nearbyint rounds to nearest even.
  const auto steps = static_cast<uint32_t>(std::nearbyint(std::ldexp(magnitude, -step)));
  return static_cast<uint16_t>(sign | (static_cast<uint32_t>(step + 24) * 1024 + steps));
}

float half_to_float(uint16_t half) {
  const int exponent = (half >> 10) & 31, fraction = half & 1023;
  const float magnitude = exponent == 0 ? std::ldexp(static_cast<float>(fraction), -24)
                                        : std::ldexp(static_cast<float>(1024 + fraction), exponent - 25);
  return (half & 0x8000) != 0 ? -magnitude : magnitude;
}

}  // namespace ringside::ps
