#include "ringside/parameter_server/messages.h"

namespace ringside::inline ps {
namespace {

// The message of the frame's type, empty: the alternative at that place of the list.
template <size_t kIndex = 0>
Message make_message(size_t index) {
  if constexpr (kIndex < std::variant_size_v<Message>) {
    if (index == kIndex) return Message(std::in_place_index<kIndex>);
    return make_message<kIndex + 1>(index);
  }
  throw FrameError(FrameFault::kType, "no message has type {}", index + 1);
}

}  // namespace

void check_clock(int64_t clock) {
  if (clock < 0 || clock >= kMostClock) throw FrameError(FrameFault::kValue, "a clock that nobody has");
}

bool is_member_clock(int64_t clock) { return clock == kNoClock || (clock >= 0 && clock < kMostClock); }

void check_table(const Table& table, size_t ranges) {
  if (table.chains.size() != ranges) throw FrameError(FrameFault::kValue, "a table of other ranges");
  for (const Chain& chain : table.chains)
    if (chain.nodes.empty()) throw FrameError(FrameFault::kValue, "a range that nobody holds");
  for (const Member& member : table.members)
    if (!is_member_clock(member.from_clock)) throw FrameError(FrameFault::kValue, "a member with no clock");
}

const char* name_of_kind(size_t index) {
  static const char* const names[] = {"heartbeat", "lease",  "table",    "push",
                                      "pushed",    "pull",   "pulled",   "refused",
                                      "forward",   "stored", "snapshot", "unknown keys"};
  static_assert(std::size(names) == std::variant_size_v<Message>);
  return names[index];
}

const char* name_of(const Message& message) { return name_of_kind(message.index()); }

Bytes encode(const Message& message, uint64_t world, NodeId from, NodeId to) {
  Writer writer;
  std::visit([&](const auto& m) { writer(m); }, message);
  const Bytes payload = writer.take();
  return seal({static_cast<uint16_t>(message.index() + 1), world, from, to, payload});
}

Message decode(std::span<const uint8_t> bytes, uint64_t world) {
  const Frame frame = open(bytes, world);
  Message message = make_message(frame.type - size_t{1});
  Reader reader(frame.payload);
  std::visit([&](auto& m) { reader(m); }, message);
  reader.end();
  return message;
}

}  // namespace ringside::inline ps
