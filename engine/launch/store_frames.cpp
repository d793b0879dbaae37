#include "store_frames.h"

#include <algorithm>

#include "ringside/base/json.h"

namespace ringside::inline launch {
namespace {

constexpr int64_t kMostRanks = 1 << 16, kMostRestarts = 1 << 20;
constexpr size_t kMostRunId = 128, kMostHello = 1024;

template <typename T>
void put(std::string& to, T value) {
  for (size_t byte = 0; byte < sizeof(T); ++byte) to.push_back(char(uint64_t(value) >> (8 * byte)));
}
template <typename T>
T take(const char* from) {
  uint64_t value = 0;
  for (size_t byte = 0; byte < sizeof(T); ++byte)
    value |= uint64_t(static_cast<unsigned char>(from[byte])) << (8 * byte);
  return static_cast<T>(value);
}

}  // namespace

std::string pack(const StoreFrame& frame) {
  std::string bytes;
  put(bytes, kStoreMagic);
  put(bytes, frame.version);
  put(bytes, uint16_t(frame.word));
  put(bytes, uint32_t(frame.key.size()));
  put(bytes, uint32_t(frame.value.size()));
  put(bytes, frame.number);
  return bytes + frame.key + frame.value;
}

StoreBytes parse_store_frame(std::string_view bytes, StoreFrame& frame, size_t& used) {
  // As soon as a byte differs: a stranger may send few and wait for an answer.
  std::string magic;
  put(magic, kStoreMagic);
  const size_t known = std::min(bytes.size(), magic.size());
  if (bytes.substr(0, known) != magic.substr(0, known)) return StoreBytes::kForeign;
  if (bytes.size() < 6) return StoreBytes::kMore;
  frame.version = take<uint16_t>(bytes.data() + 4);
  if (frame.version != kStoreVersion) return StoreBytes::kOther;
  if (bytes.size() < kStoreHeaderBytes) return StoreBytes::kMore;
  const auto word = take<uint16_t>(bytes.data() + 6);
  const size_t key = take<uint32_t>(bytes.data() + 8), value = take<uint32_t>(bytes.data() + 12);
  if (word > uint16_t(StoreWord::kRefused) || key > kMostKeyBytes || value > kMostValueBytes)
    return StoreBytes::kForeign;
  if (bytes.size() - kStoreHeaderBytes < key + value) return StoreBytes::kMore;
  frame.word = static_cast<StoreWord>(word);
  frame.number = take<int64_t>(bytes.data() + 16);
  frame.key = bytes.substr(kStoreHeaderBytes, key);
  frame.value = bytes.substr(kStoreHeaderBytes + key, value);
  used = kStoreHeaderBytes + key + value;
  return StoreBytes::kFrame;
}

size_t store_frame_bytes(std::string_view header) {
  return kStoreHeaderBytes + take<uint32_t>(header.data() + 8) + take<uint32_t>(header.data() + 12);
}

std::string pack(const Member& member) {
  return Json{{"run", member.run.run_id},
              {"size", member.run.size},
              {"restart", member.run.restart},
              {"rank", member.rank}}
      .dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::optional<Member> unpack_member(std::string_view packed) try {
  const Json json = parse_json(packed, {.bytes = kMostHello, .depth = 1, .values = 8});
  const JsonObject object(json);
  Member member;
  member.run = {object.text("run", kMostRunId), int(object.integer("size", 1, kMostRanks)),
                int(object.integer("restart", 0, kMostRestarts))};
  member.rank = int(object.integer("rank", 0, kMostRanks));
  return member;
} catch (const JsonRejected&) {
  return std::nullopt;
}

}  // namespace ringside::inline launch
