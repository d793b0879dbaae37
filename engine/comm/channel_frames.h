// Frames between two ranks: a header of fixed size in this machine's byte order, then bytes. Read and written
// whole.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ringside/comm/channel.h"
#include "ringside/comm/errors.h"

namespace ringside {

enum class FrameKind : uint16_t {
  kRecord,  // what a rank calls: a call's first frame
  kData,    // part of a buffer
  kBreak,   // the group is broken; group 0: every group that the sender is in
  kLeave    // the sender has left the group
};

// Calls that are carried out one after the other: a group's collectives, or what one place sends to another.
struct ChannelLane {
  uint64_t group = 0;          // hash of its name and ranks
  int32_t from = -1, to = -1;  // places of a message's ends; -1: one of the group's collectives
  auto operator<=>(const ChannelLane&) const = default;
};

struct FrameHeader {
  uint32_t magic = 0x52534631;  // "RSF1"
  uint16_t version = 1;
  FrameKind kind = FrameKind::kRecord;
  ChannelLane lane = {};
  int64_t seq = 0, elements = 0;  // of a record, as what follows but the bytes
  int32_t root = -1;
  Op op = {};
  Dtype dtype = {};
  ReduceOp reduce = {};
  uint8_t unused = 0;
  uint64_t bytes = 0;  // that follow
};
static_assert(sizeof(FrameHeader) == 56);

struct Frame {
  FrameHeader header;
  std::vector<std::byte> bytes;
};

// Blocks until a frame is there; empty where the peer is gone, or sent what no frame is.
std::optional<Frame> read_frame(Channel& channel);

Channel::Written write_frame(Channel& channel, FrameHeader header, const void* bytes, int64_t count,
                             TimePoint deadline);

std::string pack(const Failure& failure);                // as JSON
std::optional<Failure> unpack(std::string_view packed);  // empty where it is no failure

}  // namespace ringside
