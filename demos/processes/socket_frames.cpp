#include "socket_frames.h"

#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>

namespace ringside {
namespace {

constexpr uint64_t kMostBytes = uint64_t{1} << 32;  // of one frame's data
constexpr uint64_t kMostWords = 1 << 20;            // of a failure
constexpr uint32_t kMostRanks = 1 << 16;
constexpr size_t kPiece = 1 << 20;  // memory is taken as bytes arrive, not as a header promises

bool read_all(int socket, void* to, size_t count) {
  auto* at = static_cast<std::byte*>(to);
  while (count > 0) {
    const ssize_t got = ::read(socket, at, count);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    at += got;
    count -= static_cast<size_t>(got);
  }
  return true;
}

bool is_plausible(const FrameHeader& header) {
  const FrameHeader expected;
  if (header.magic != expected.magic || header.version != expected.version) return false;
  if (header.op > static_cast<uint8_t>(Op::kBarrier) || header.dtype > static_cast<uint8_t>(Dtype::kBool) ||
      header.reduce > static_cast<uint8_t>(ReduceOp::kMax) || header.elements < 0)
    return false;
  switch (header.kind) {
    case FrameKind::kData:
      return header.bytes <= kMostBytes;
    case FrameKind::kBreak:
      return header.bytes <= kMostWords;
    case FrameKind::kRecord:
    case FrameKind::kLeave:
      return header.bytes == 0;
  }
  return false;
}

}  // namespace

std::optional<Frame> read_frame(int socket) {
  Frame frame;
  if (!read_all(socket, &frame.header, sizeof frame.header) || !is_plausible(frame.header))
    return std::nullopt;
  while (frame.bytes.size() < frame.header.bytes) {
    const size_t done = frame.bytes.size();
    frame.bytes.resize(std::min<size_t>(frame.header.bytes, done + kPiece));
    if (!read_all(socket, frame.bytes.data() + done, frame.bytes.size() - done)) return std::nullopt;
  }
  return frame;
}

Written write_frame(int socket, FrameHeader header, const void* bytes, int64_t count, TimePoint deadline) {
  header.bytes = static_cast<uint64_t>(count);
  const std::pair<const void*, size_t> parts[] = {{&header, sizeof header},
                                                  {bytes, static_cast<size_t>(count)}};
  for (const auto& [from, size] : parts) {
    const auto* at = static_cast<const std::byte*>(from);
    for (size_t left = size; left > 0;) {
      const ssize_t sent = ::send(socket, at, left, MSG_NOSIGNAL | MSG_DONTWAIT);
      if (sent > 0) {
        at += sent;
        left -= static_cast<size_t>(sent);
        continue;
      }
      if (errno == EINTR) continue;
      if (errno != EAGAIN && errno != EWOULDBLOCK) return Written::kLost;
      const auto rest = std::chrono::ceil<std::chrono::milliseconds>(deadline - SteadyClock::now()).count();
      if (rest <= 0) return Written::kLate;
      pollfd writable{socket, POLLOUT, 0};
      ::poll(&writable, 1, static_cast<int>(std::min<int64_t>(rest, 1000)));
    }
  }
  return Written::kAll;
}

std::vector<std::byte> pack(const Failure& failure) {
  std::vector<std::byte> bytes;
  const auto put = [&](const void* from, size_t count) {
    const auto* at = static_cast<const std::byte*>(from);
    bytes.insert(bytes.end(), at, at + count);
  };
  const auto number = [&](size_t value) {
    const auto small = static_cast<uint32_t>(value);
    put(&small, sizeof small);
  };
  const auto text = [&](const std::string& words) {
    const size_t count = std::min<size_t>(words.size(), kMostWords / 4);
    number(count);
    put(words.data(), count);
  };
  number(static_cast<size_t>(failure.kind));
  number(failure.ranks.size());
  for (const int rank : failure.ranks) number(static_cast<size_t>(rank));
  text(failure.text);
  text(failure.at);
  return bytes;
}

std::optional<Failure> unpack(const std::vector<std::byte>& bytes) {
  size_t at = 0;
  const auto number = [&]() -> std::optional<uint32_t> {
    uint32_t value = 0;
    if (bytes.size() - at < sizeof value) return std::nullopt;
    std::memcpy(&value, bytes.data() + at, sizeof value);
    at += sizeof value;
    return value;
  };
  const auto text = [&](std::string& words) {
    const auto count = number();
    if (!count || bytes.size() - at < *count) return false;
    words.assign(reinterpret_cast<const char*>(bytes.data() + at), *count);
    at += *count;
    return true;
  };
  Failure failure;
  const auto kind = number(), ranks = number();
  if (!kind || !ranks || *kind > static_cast<uint32_t>(Failure::Kind::kNotFinite) || *ranks > kMostRanks)
    return std::nullopt;
  failure.kind = static_cast<Failure::Kind>(*kind);
  for (uint32_t i = 0; i < *ranks; ++i) {
    const auto rank = number();
    if (!rank || *rank > kMostRanks) return std::nullopt;
    failure.ranks.push_back(static_cast<int>(*rank));
  }
  if (!text(failure.text) || !text(failure.at)) return std::nullopt;
  return failure;
}

}  // namespace ringside
