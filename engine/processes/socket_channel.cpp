// A Channel over a stream socket.
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>

#include "ringside/launch/stream.h"
#include "ringside/processes/join.h"

namespace ringside::inline processes {
namespace {

class SocketChannel final : public Channel {
 public:
  explicit SocketChannel(int socket) : socket_(socket) {}

  Written write(const void* from, size_t bytes, TimePoint deadline) override {
    const Streamed written = write_stream(socket_.number(), from, bytes, deadline);
    return written == Streamed::kAll    ? Written::kAll
           : written == Streamed::kLate ? Written::kLate
                                        : Written::kLost;
  }
  bool read(void* to, size_t bytes) override {
    for (auto* at = static_cast<std::byte*>(to); bytes > 0;) {
      const ssize_t got = ::read(socket_.number(), at, bytes);
      if (got < 0 && errno == EINTR) continue;
      if (got <= 0) return false;
      at += got;
      bytes -= static_cast<size_t>(got);
    }
    return true;
  }
  void shut() override { ::shutdown(socket_.number(), SHUT_RDWR); }

 private:
  const Descriptor socket_;
};

}  // namespace

std::shared_ptr<ChannelHub> hub_of_sockets(int rank, const std::vector<int>& sockets,
                                           const std::string& description,
                                           std::shared_ptr<OwnCollectives> own) {
  std::vector<std::unique_ptr<Channel>> channels(sockets.size());
  for (size_t peer = 0; peer < sockets.size(); ++peer)
    if (sockets[peer] >= 0) channels[peer] = std::make_unique<SocketChannel>(sockets[peer]);
  return std::make_shared<ChannelHub>(rank, std::move(channels), description, std::move(own));
}

}  // namespace ringside::inline processes
