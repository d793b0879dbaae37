// A Channel over a stream socket.
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <vector>

#include "ringside/launch/stream.h"
#include "ringside/processes/join.h"

namespace ringside::inline processes {
namespace {

class SocketChannel final : public Channel {
 public:
  explicit SocketChannel(int socket) : socket_(socket) {}

  Written write(const void* from, size_t bytes, TimePoint deadline) override {
    return write_behind({}, from, bytes, deadline);
  }
  Written write_behind(std::span<const std::byte> header, const void* from, size_t bytes,
                       TimePoint deadline) override {
    std::span<const std::byte> rest(rest_), body(static_cast<const std::byte*>(from), bytes);
    const Written before = send(rest, deadline);
    rest_.erase(rest_.begin(), rest_.end() - std::ssize(rest));
    if (before != Written::kAll) return before;
    const size_t all = header.size() + body.size();
    Written written = send(header, deadline);
    if (written == Written::kAll) written = send(body, deadline);
    if (written != Written::kLate || header.size() + body.size() == all) return written;
    rest_.assign(header.begin(), header.end());
    rest_.insert(rest_.end(), body.begin(), body.end());
    return written;
  }
  bool keeps_rest() const override { return true; }
  bool read(void* to, size_t bytes) override {
    for (auto* at = static_cast<std::byte*>(to); bytes > 0;) {
      const ssize_t got = ::read(socket_.number(), at, bytes);
      if (got < 0 && errno == EINTR) continue;
      if (got <= 0) return false;
      at += got;
      bytes -= size_t(got);
    }
    return true;
  }
  void shut() override { ::shutdown(socket_.number(), SHUT_RDWR); }

 private:
  // What is left of them is behind what went out.
  Written send(std::span<const std::byte>& bytes, TimePoint deadline) const {
    size_t written = 0;
    const Streamed sent = write_stream(socket_.number(), bytes.data(), bytes.size(), deadline, &written);
    bytes = bytes.subspan(written);
    return sent == Streamed::kAll ? Written::kAll : sent == Streamed::kLate ? Written::kLate : Written::kLost;
  }

  const Descriptor socket_;
  std::vector<std::byte> rest_;  // of a frame that was late
};

}  // namespace

std::unique_ptr<Channel> channel_of_socket(int socket) { return std::make_unique<SocketChannel>(socket); }

std::shared_ptr<ChannelHub> hub_of_sockets(int rank, const std::vector<int>& sockets,
                                           const std::string& description,
                                           std::shared_ptr<OwnCollectives> own) {
  std::vector<std::unique_ptr<Channel>> channels(sockets.size());
  for (size_t peer = 0; peer < sockets.size(); ++peer)
    if (sockets[peer] >= 0) channels[peer] = channel_of_socket(sockets[peer]);
  return std::make_shared<ChannelHub>(rank, std::move(channels), description, std::move(own));
}

}  // namespace ringside::inline processes
