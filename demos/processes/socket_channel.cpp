#include "ringside_sockets/socket_channel.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <sstream>

#include "ringside/base/error.h"
#include "ringside/base/text.h"

namespace ringside {
namespace {

class SocketChannel final : public Channel {
 public:
  explicit SocketChannel(int socket) : socket_(socket) {}
  ~SocketChannel() override { ::close(socket_); }

  Written write(const void* from, size_t bytes, TimePoint deadline) override {
    for (const auto* at = static_cast<const std::byte*>(from); bytes > 0;) {
      const ssize_t sent = ::send(socket_, at, bytes, MSG_NOSIGNAL | MSG_DONTWAIT);
      if (sent > 0) {
        at += sent;
        bytes -= static_cast<size_t>(sent);
        continue;
      }
      if (errno == EINTR) continue;
      if (errno != EAGAIN && errno != EWOULDBLOCK) return Written::kLost;
      const auto rest = std::chrono::ceil<std::chrono::milliseconds>(deadline - SteadyClock::now()).count();
      if (rest <= 0) return Written::kLate;
      pollfd writable{socket_, POLLOUT, 0};
      ::poll(&writable, 1, static_cast<int>(std::min<int64_t>(rest, 1000)));
    }
    return Written::kAll;
  }

  bool read(void* to, size_t bytes) override {
    for (auto* at = static_cast<std::byte*>(to); bytes > 0;) {
      const ssize_t got = ::read(socket_, at, bytes);
      if (got < 0 && errno == EINTR) continue;
      if (got <= 0) return false;
      at += got;
      bytes -= static_cast<size_t>(got);
    }
    return true;
  }

  void shut() override { ::shutdown(socket_, SHUT_RDWR); }

 private:
  const int socket_;
};

}  // namespace

std::shared_ptr<ChannelHub> hub_of_sockets(int rank, const std::vector<int>& sockets) {
  std::vector<std::unique_ptr<Channel>> channels(sockets.size());
  for (size_t peer = 0; peer < sockets.size(); ++peer)
    if (sockets[peer] >= 0) channels[peer] = std::make_unique<SocketChannel>(sockets[peer]);
  return std::make_shared<ChannelHub>(rank, std::move(channels), "ranks as processes, Unix sockets");
}

std::shared_ptr<ChannelHub> hub_from_environment() {
  const char* rank = std::getenv(kRankVariable);
  const char* sockets = std::getenv(kSocketsVariable);
  if (rank == nullptr || sockets == nullptr) return nullptr;
  std::vector<int> numbers;
  std::istringstream words(sockets);
  for (std::string word; std::getline(words, word, ',');)
    numbers.push_back(read_number<int>(word).value_or(-2));
  const int own = read_number<int>(rank).value_or(-1);
  if (own < 0 || own >= std::ssize(numbers))
    throw UsageError(fmt::format("{}={}: allowed are 0 to {}, one for each of {}={}", kRankVariable, rank,
                                 std::ssize(numbers) - 1, kSocketsVariable, sockets));
  for (int peer = 0; peer < std::ssize(numbers); ++peer)
    if (peer != own && ::fcntl(numbers[static_cast<size_t>(peer)], F_GETFD) < 0)
      throw UsageError(fmt::format("{}={}: rank {}'s is no open socket", kSocketsVariable, sockets, peer));
  numbers[static_cast<size_t>(own)] = -1;
  return hub_of_sockets(own, numbers);
}

}  // namespace ringside
