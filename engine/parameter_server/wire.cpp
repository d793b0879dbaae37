#include "ringside/parameter_server/wire.h"

#include <zlib.h>

namespace ringside::inline ps {
namespace {

constexpr size_t kChecked = kHeaderBytes - sizeof(uint32_t);  // bytes before the checksum

uint32_t checksum(std::span<const uint8_t> header, std::span<const uint8_t> payload) {
  uLong crc = crc32(0, header.data(), static_cast<uInt>(header.size()));
  // zlib takes a null pointer for "begin anew".
  if (!payload.empty()) crc = crc32(crc, payload.data(), static_cast<uInt>(payload.size()));
  return uint32_t(crc);
}

}  // namespace

Bytes seal(const Frame& frame) {
  if (frame.payload.size() > kMostPayload)
    throw InvariantError("a frame of type {} for node {} with {} bytes: {} are allowed", frame.type, frame.to,
                         frame.payload.size(), kMostPayload);
  Writer writer;
  writer(kFrameMagic, kFrameVersion, frame.type, frame.world, frame.from, frame.to,
         uint32_t(frame.payload.size()));
  Bytes header = writer.take();
  const uint32_t crc = checksum(header, frame.payload);
  Bytes bytes;
  bytes.reserve(kHeaderBytes + frame.payload.size());
  bytes.assign(header.begin(), header.end());
  bytes.insert(bytes.end(), reinterpret_cast<const uint8_t*>(&crc),
               reinterpret_cast<const uint8_t*>(&crc + 1));
  bytes.insert(bytes.end(), frame.payload.begin(), frame.payload.end());
  return bytes;
}

Frame open(std::span<const uint8_t> bytes, uint64_t world) {
  if (bytes.size() < kHeaderBytes)
    throw FrameError(FrameFault::kTooShort, "a packet of {} bytes holds no header", bytes.size());
  Frame frame;
  frame.payload = bytes.subspan(kHeaderBytes);
  uint32_t magic = 0, length = 0, crc = 0;
  uint16_t version = 0;
  Reader header(bytes);
  header(magic, version, frame.type, frame.world, frame.from, frame.to, length, crc);
  if (magic != kFrameMagic)
    throw FrameError(FrameFault::kMagic, "a packet that is no frame of a parameter server");
  if (version != kFrameVersion)
    throw FrameError(FrameFault::kVersion, "a peer of version {}: this one has {}", version, kFrameVersion);
  if (length != frame.payload.size() || length > kMostPayload)
    throw FrameError(FrameFault::kLength, "a frame says {} bytes and has {}; {} are allowed", length,
                     frame.payload.size(), kMostPayload);
  if (crc != checksum(bytes.first(kChecked), frame.payload))
    throw FrameError(FrameFault::kChecksum, "a frame whose checksum is wrong");
  if (frame.world != world)
    throw FrameError(FrameFault::kWorld, "a frame of world {:016x}: this is {:016x}", frame.world, world);
  return frame;
}

void Reader::get_raw(void* data, size_t bytes) {
  if (bytes > left_.size())
    throw FrameError(FrameFault::kTooShort, "a value of {} bytes where {} are left", bytes, left_.size());
  if (bytes > 0) std::memcpy(data, left_.data(), bytes);
  left_ = left_.subspan(bytes);
}

size_t Reader::get_count(size_t least) {
  uint32_t count = 0;
  get_raw(&count, sizeof count);
  if (count > left_.size() / least)
    throw FrameError(FrameFault::kCount, "{} elements where {} bytes are left", count, left_.size());
  return count;
}

void Reader::end() const {
  if (!left_.empty()) throw FrameError(FrameFault::kTooLong, "{} bytes behind the last value", left_.size());
}

}  // namespace ringside::inline ps
