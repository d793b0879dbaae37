// What travels between a store and its members: a header of 24 bytes, little-endian, then key and value.
// Torch-free and without a socket, so that it can be fuzzed.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "ringside/launch/store.h"

namespace ringside::inline launch {

inline constexpr uint32_t kStoreMagic = 0x54535352;  // "RSST"
inline constexpr uint16_t kStoreVersion = 1;
inline constexpr size_t kStoreHeaderBytes = 24;

enum class StoreWord : uint16_t {
  kHello,    // value: who it is
  kSet,      // key, value
  kGet,      // key; number: the rank that sets it, or -1
  kTime,     // what time it is there
  kBye,      // the member leaves, and is not lost
  kDone,     // what was asked is done; number: the time, for kTime
  kValue,    // value
  kNone,     // no value by that key yet
  kLost,     // nor will there be one: number is the rank that is gone
  kGivenUp,  // nor will there be one; value: why
  kRefused,  // value: why; the connection ends, but for a full store's
};

struct StoreFrame {
  StoreWord word = StoreWord::kDone;
  int64_t number = 0;
  std::string key = {}, value = {};
  uint16_t version = kStoreVersion;
};

std::string pack(const StoreFrame& frame);

// What `bytes` begin with. kMore: a part of a frame. kForeign: no frame of ours. kOther: one of another
// version, of which `frame.version` is all that is known.
enum class StoreBytes { kFrame, kMore, kForeign, kOther };
// The frame, and how many bytes it takes.
StoreBytes parse_store_frame(std::string_view bytes, StoreFrame& frame, size_t& used);
// Of the whole frame that this header, which parse_store_frame() took, begins.
size_t store_frame_bytes(std::string_view header);

// Who a member is, as the value of kHello.
struct Member {
  RunName run;
  int rank = 0;
};
std::string pack(const Member& member);
std::optional<Member> unpack_member(std::string_view packed);  // none where it is none

}  // namespace ringside::inline launch
