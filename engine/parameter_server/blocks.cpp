#include "ringside/parameter_server/blocks.h"

namespace ringside::ps {
namespace {

template <typename T>
Bytes encode_one(const T& value) {
  Writer writer;
  writer(value);
  return writer.take();
}

template <typename T>
T decode_one(const Bytes& bytes) {
  T value{};
  if (bytes.empty()) return value;
  Reader reader(bytes);
  reader(value);
  reader.end();
  return value;
}

}  // namespace

Bytes encode_block(const KeyedValues& values) { return values.values.empty() ? Bytes() : encode_one(values); }
KeyedValues decode_block(const Bytes& bytes) { return decode_one<KeyedValues>(bytes); }
Bytes encode_keys(const std::vector<uint64_t>& keys) { return keys.empty() ? Bytes() : encode_one(keys); }
std::vector<uint64_t> decode_keys(const Bytes& bytes) { return decode_one<std::vector<uint64_t>>(bytes); }

}  // namespace ringside::ps
