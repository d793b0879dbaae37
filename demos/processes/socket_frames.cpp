#include "socket_frames.h"

#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>

#include "ringside/base/json.h"

namespace ringside {
namespace {

constexpr uint64_t kMostBytes = uint64_t{1} << 32;  // of one frame's data
constexpr uint64_t kMostWords = 1 << 20;            // of a failure
constexpr int64_t kMostRanks = 1 << 16;
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
  if (header.op > Op::kBarrier || header.dtype > Dtype::kBool || header.reduce > ReduceOp::kMax ||
      header.elements < 0)
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
  const int64_t kind = object.integer("kind", 0, static_cast<int64_t>(Failure::Kind::kNotFinite));
  Failure failure{static_cast<Failure::Kind>(kind), {}, object.text("text"), object.text("at")};
  for (const Json& rank : object.array("ranks", 0, kMostRanks))
    failure.ranks.push_back(static_cast<int>(json_integer(rank, "ranks", 0, kMostRanks)));
  return failure;
} catch (const JsonRejected&) {
  return std::nullopt;
}

}  // namespace ringside
