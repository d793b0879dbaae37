#include "channel_frames.h"

#include <algorithm>

#include "ringside/base/json.h"

namespace ringside::inline comm {
namespace {

constexpr int64_t kMostRanks = 1 << 16;
constexpr size_t kPiece =
    1 << 20;  // memory is taken as bytes arrive, not as a header promises: at most twice as much

bool is_plausible(const FrameHeader& header) {
  const FrameHeader expected;
  if (header.magic != expected.magic || header.version != expected.version) return false;
  if (header.op > Op::kBarrier || header.dtype > Dtype::kBool || header.reduce > ReduceOp::kMax ||
      header.elements < 0)
    return false;
  switch (header.kind) {
    case FrameKind::kData: return header.bytes <= kMostFrameBytes;
    case FrameKind::kRecord: return header.bytes <= (header.has_part != 0 ? kMostFrameBytes : 0);
    case FrameKind::kBreak:
    case FrameKind::kLook: return header.bytes <= kMostWords;
    case FrameKind::kLeave:
    case FrameKind::kEnd:
    case FrameKind::kHeard:
    case FrameKind::kAsk: return header.bytes == 0;
  }
  return false;
}

}  // namespace

FrameBytes::FrameBytes(SpareMemory& from, size_t size) : from_(&from) {
  if (size > 0) memory_ = from.take(size);
}

FrameBytes::~FrameBytes() {
  if (memory_.bytes) from_->give(std::move(memory_));
}

void FrameBytes::resize(size_t size) {
  if (size > capacity()) {
    Memory larger{std::make_unique_for_overwrite<std::byte[]>(size), size};
    std::copy_n(data(), size_, larger.bytes.get());
    memory_ = std::move(larger);
  }
  size_ = size;
}

FrameBytes::Memory SpareMemory::take(size_t size) {
  const std::lock_guard lock(mutex_);
  const auto found = spare_.lower_bound(size);
  return found == spare_.end() ? FrameBytes::Memory{} : std::move(spare_.extract(found).mapped());
}

void SpareMemory::give(FrameBytes::Memory memory) {
  const std::lock_guard lock(mutex_);
  const size_t size = memory.size;
  spare_.emplace(size, std::move(memory));
  if (spare_.size() > most_) spare_.erase(spare_.begin());
}

std::optional<Frame> read_frame(Channel& channel, SpareMemory& memory, const LandingOf& landing) {
  FrameHeader header;
  if (!channel.read(&header, sizeof header) || !is_plausible(header)) return std::nullopt;
  if (std::byte* to = landing(header)) {
    if (!channel.read(to, header.bytes)) return std::nullopt;
    return Frame{header, {}, true};
  }
  Frame frame{header, FrameBytes(memory, header.bytes)};
  while (frame.bytes.size() < header.bytes) {
    const size_t done = frame.bytes.size();
    const size_t at_hand = std::max(frame.bytes.capacity(), std::max(done * 2, kPiece));
    frame.bytes.resize(std::min<size_t>(header.bytes, at_hand));
    if (!channel.read(frame.bytes.data() + done, frame.bytes.size() - done)) return std::nullopt;
  }
  return frame;
}

Channel::Written write_frame(Channel& channel, FrameHeader header, const void* bytes, int64_t count,
                             TimePoint deadline) {
  header.bytes = uint64_t(count);
  return channel.write_behind(std::as_bytes(std::span(&header, 1)), bytes, size_t(count), deadline);
}

std::string pack(const Failure& failure) {
  constexpr size_t kMost = kMostWords / 16;  // of a text, each letter of which may be escaped
  const Json json = {{"kind", failure.kind},
                     {"ranks", failure.ranks},
                     {"text", failure.text.substr(0, kMost)},
                     {"at", failure.at.substr(0, kMost)}};
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::optional<Failure> unpack(std::string_view packed) try {
  const Json json = parse_json(packed, {.bytes = kMostWords, .depth = 2, .values = kMostRanks + 8});
  const JsonObject object(json);
  const int64_t kind = object.integer("kind", 0, int64_t(Failure::Kind::kNotFinite));
  Failure failure{static_cast<Failure::Kind>(kind), {}, object.text("text"), object.text("at")};
  for (const Json& rank : object.array("ranks", 0, kMostRanks))
    failure.ranks.push_back(int(json_integer(rank, "ranks", 0, kMostRanks)));
  return failure;
} catch (const JsonRejected&) {
  return std::nullopt;
}

}  // namespace ringside::inline comm
