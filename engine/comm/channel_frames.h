// Frames between two ranks: a header of fixed size in this machine's byte order, then bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "ringside/comm/channel.h"
#include "ringside/comm/errors.h"

namespace ringside::inline comm {

enum class FrameKind : uint16_t {
  kRecord,  // what a rank calls: a call's first frame, behind which may stand the first phase's part of a
            // buffer
  kData,    // part of a buffer
  kBreak,   // the group is broken; group 0: every group that the sender is in
  kLeave,   // the sender has left the group
  kEnd,     // the sender has no more to say, and ends its channel once it hears
  kHeard,   // that all up to there has come
  kAsk,  // for what the receiver's rank waits in: at most `elements` calls of each run, as an answer to `seq`
  kLook  // the answer
};

// Calls that are carried out one after the other: a group's collectives, or what one place sends to another.
struct ChannelLane {
  uint64_t group = 0;          // hash of its name and ranks
  int32_t from = -1, to = -1;  // places of a message's ends; -1: one of the group's collectives
  auto operator<=>(const ChannelLane&) const = default;
};

struct FrameHeader {
  uint32_t magic = 0x52534631;  // "RSF1"
  uint16_t version = 4;
  FrameKind kind = FrameKind::kRecord;
  ChannelLane lane = {};
  int64_t seq = 0, elements = 0;  // of a record, as what follows but the bytes
  int32_t root = -1;
  Op op = {};
  Dtype dtype = {};
  ReduceOp reduce = {};
  uint8_t has_part = 0;   // of a record: its bytes are that part
  uint64_t bytes = 0;     // that follow
  uint64_t contents = 0;  // of a record (errors.h)
};
static_assert(sizeof(FrameHeader) == 64);

class SpareMemory;

// Memory that goes back to where it came from. Its bytes are what they were.
class FrameBytes {
 public:
  FrameBytes() = default;
  FrameBytes(SpareMemory& from, size_t size);
  ~FrameBytes();
  FrameBytes(FrameBytes&& other) noexcept { swap(other); }
  FrameBytes& operator=(FrameBytes&& other) noexcept {
    swap(other);
    return *this;
  }
  const std::byte* data() const { return memory_.bytes.get(); }
  std::byte* data() { return memory_.bytes.get(); }
  size_t size() const { return size_; }
  size_t capacity() const { return memory_.size; }
  void resize(size_t size);  // what there is stays; beyond the capacity it is copied

 private:
  friend class SpareMemory;
  struct Memory {
    std::unique_ptr<std::byte[]> bytes;
    size_t size = 0;
  };
  void swap(FrameBytes& other) noexcept {
    std::swap(from_, other.from_);
    std::swap(memory_, other.memory_);
    std::swap(size_, other.size_);
  }
  SpareMemory* from_ = nullptr;
  Memory memory_ = {};
  size_t size_ = 0;
};

// Frames of one call after the other have the same sizes. To take their memory anew costs as much as to read
// them: the system hands it out page by page, each filled with zeros.
class SpareMemory {
 public:
  explicit SpareMemory(size_t most) : most_(most) {}

 private:
  friend class FrameBytes;
  FrameBytes::Memory take(size_t size);  // the smallest that is large enough, or none
  void give(FrameBytes::Memory memory);
  const size_t most_;  // how many it keeps
  std::mutex mutex_;
  std::multimap<size_t, FrameBytes::Memory> spare_;  // by size
};

inline constexpr uint64_t kMostFrameBytes = uint64_t{1} << 32;  // of data: a receiver gives up who sends more

struct Frame {
  FrameHeader header;
  FrameBytes bytes;
  bool has_landed = false;  // its bytes are where they were to go
};

// Where the bytes of a frame are to go; null: into memory of its own.
using LandingOf = std::function<std::byte*(const FrameHeader&)>;

// Blocks until a frame is there; empty where the peer is gone, or sent what no frame is.
std::optional<Frame> read_frame(Channel& channel, SpareMemory& memory, const LandingOf& landing);

Channel::Written write_frame(Channel& channel, FrameHeader header, const void* bytes, int64_t count,
                             TimePoint deadline);

inline constexpr uint64_t kMostWords = 1 << 20;          // bytes of a failure, or a look
std::string pack(const Failure& failure);                // as JSON
std::optional<Failure> unpack(std::string_view packed);  // empty where it is no failure

}  // namespace ringside::inline comm
