// Values as bytes, and frames. Everything is little-endian and explicit; nothing is read past its end, and no
// count in a packet makes a reader allocate more than the packet's own bytes can fill.
//
// A frame is a header of 32 bytes and a payload:
//
//   0  magic "RPS1"   4  version  6  type   8  world (8)   16  from   20  to   24  length   28  checksum
//
// `world` names the run: packets of another are refused. `length` is the payload's, in bytes. The checksum is
// the CRC-32 (zlib's) of bytes 0 to 27 and the payload.
#pragma once

#include <bit>
#include <cstring>
#include <span>
#include <string>
#include <type_traits>

#include "ringside/base/error.h"
#include "ringside/base/members.h"
#include "ringside/comm/endpoint.h"

namespace ringside::inline ps {

static_assert(std::endian::native == std::endian::little, "values are copied as they lie in memory");

inline constexpr uint32_t kFrameMagic = 0x31535052;  // "RPS1"
inline constexpr uint16_t kFrameVersion = 1;
inline constexpr size_t kHeaderBytes = 32;
inline constexpr size_t kMostPayload = size_t{64} << 20;  // bytes

// Why a frame was refused.
enum class FrameFault : uint8_t {
  kTooShort,  // it ends inside of the header or of a value
  kMagic,     // no frame of ours
  kVersion,   // of a peer of another version
  kLength,    // the header's length is not the payload's, or too large
  kChecksum,  // a byte changed on its way
  kWorld,     // of another run
  kType,      // no message has this type
  kCount,     // more elements than there are bytes
  kValue,     // a value outside of what is allowed
  kTooLong    // bytes behind the last value
};

struct FrameError : InputError {
  template <typename... Args>
  FrameError(FrameFault why, fmt::format_string<Args...> message, Args&&... args)
      : InputError(message, std::forward<Args>(args)...), fault(why) {}
  FrameFault fault;
};

struct Frame {
  uint16_t type = 0;
  uint64_t world = 0;
  NodeId from = 0, to = 0;
  std::span<const uint8_t> payload = {};
};
Bytes seal(const Frame& frame);                              // InvariantError over kMostPayload
Frame open(std::span<const uint8_t> bytes, uint64_t world);  // FrameError. The payload lies in `bytes`

template <typename T>
concept Plain = std::is_arithmetic_v<T> || std::is_enum_v<T>;

// What the shortest form of a value takes: of a struct its members, of a list its count.
template <typename T>
constexpr size_t least_bytes() {
  if constexpr (Plain<T>) {
    return sizeof(T);
  } else if constexpr (std::is_aggregate_v<T>) {
    const auto sum = []<typename... M>(const M&...) {
      return std::integral_constant<size_t, (least_bytes<M>() + ... + 0)>();
    };
    return decltype(with_members(std::declval<T&>(), sum))::value;
  } else {
    return sizeof(uint32_t);
  }
}

// A struct is written member by member, in their order.
class Writer {
 public:
  template <typename... T>
  void operator()(const T&... values) {
    (put(values), ...);
  }
  Bytes take() { return std::move(bytes_); }

 private:
  void put_raw(const void* data, size_t bytes) {
    const auto* begin = static_cast<const uint8_t*>(data);
    bytes_.insert(bytes_.end(), begin, begin + bytes);
  }
  template <typename T>
  void put(const T& value) {
    if constexpr (Plain<T>)
      put_raw(&value, sizeof value);
    else
      with_members(value, *this);
  }
  template <typename T>
  void put(const std::vector<T>& values) {
    put(uint32_t(values.size()));
    if constexpr (Plain<T>)
      put_raw(values.data(), values.size() * sizeof(T));
    else
      for (const T& value : values) put(value);
  }

  Bytes bytes_;
};

class Reader {
 public:
  explicit Reader(std::span<const uint8_t> bytes) : left_(bytes) {}

  template <typename... T>
  void operator()(T&... values) {
    (get(values), ...);
  }
  size_t left() const { return left_.size(); }
  void end() const;  // FrameError where bytes are left

 private:
  void get_raw(void* data, size_t bytes);  // FrameError where there are fewer
  size_t get_count(size_t least);          // of elements that take `least` bytes each; FrameError
  template <typename T>
  void get(T& value) {
    if constexpr (!Plain<T>) {
      with_members(value, *this);
    } else if constexpr (std::is_same_v<T, bool>) {
      uint8_t byte = 0;
      get_raw(&byte, 1);
      if (byte > 1) throw FrameError(FrameFault::kValue, "a truth value that is neither 0 nor 1");
      value = byte == 1;
    } else {
      get_raw(&value, sizeof value);
    }
  }
  template <typename T>
  void get(std::vector<T>& values) {
    values.resize(get_count(least_bytes<T>()));
    if constexpr (Plain<T>)
      get_raw(values.data(), values.size() * sizeof(T));
    else
      for (T& value : values) get(value);
  }
  std::span<const uint8_t> left_;
};

}  // namespace ringside::inline ps
