// A transport of your own: ordered bytes between two ranks make every collective. Here four processes, and a
// socket pair between each two. Without LibTorch.
#include <poll.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>

#include "ringside/base/error.h"
#include "ringside/comm/channel.h"
#include "ringside/world/world.h"

using namespace ringside;

class PairChannel final : public Channel {
 public:
  explicit PairChannel(int socket) : socket_(socket) {}
  ~PairChannel() override { close(socket_); }

  Written write(const void* from, size_t bytes, TimePoint deadline) override {
    for (auto* at = static_cast<const char*>(from); bytes > 0;) {
      if (SteadyClock::now() > deadline) return Written::kLate;
      pollfd room{socket_, POLLOUT, 0};
      if (poll(&room, 1, 20) == 0) continue;
      const ssize_t put = send(socket_, at, bytes, MSG_DONTWAIT | MSG_NOSIGNAL);
      if (put <= 0) return Written::kLost;
      at += put, bytes -= size_t(put);
    }
    return Written::kAll;
  }
  bool read(void* to, size_t bytes) override {  // false: the peer is gone, or shut() was called
    return bytes == 0 || recv(socket_, to, bytes, MSG_WAITALL) == ssize_t(bytes);
  }
  void shut() override { shutdown(socket_, SHUT_RDWR); }

 private:
  const int socket_;
};

constexpr int kRanks = 4;
static int sockets[kRanks][kRanks];  // that rank's end of the pair with that peer

static void rank_main(int rank) {
  std::vector<std::unique_ptr<Channel>> channels(kRanks);
  for (int of = 0; of < kRanks; ++of)
    for (int peer = 0; peer < kRanks; ++peer) {
      if (of == peer) continue;
      if (of != rank) close(sockets[of][peer]);  // or nobody would see that its rank is gone
      if (of == rank) channels[size_t(peer)] = std::make_unique<PairChannel>(sockets[of][peer]);
    }
  const auto hub =
      std::make_shared<ChannelHub>(rank, std::move(channels), "ranks as processes, socket pairs");
  const WorldOptions options{.ranks = kRanks, .timeout = std::chrono::seconds(10), .hooks = {.process = hub}};
  run_world(options, [](World& world) {
    float values[] = {1.0F + float(world.rank()), 0.1F};
    world.group("dp").all_reduce({values, 2, Dtype::kFloat32}, {"example", ""})->wait();
    if (world.rank() == 0) std::printf("sums over 4 ranks: %g and %.9g\n", values[0], values[1]);
  });
}

static int as_process(int rank) try {
  return rank_main(rank), std::fflush(stdout);
} catch (const Error& error) {
  std::fprintf(stderr, "own_channel: %s\n", error.what());
  return int(error.code());
}

int main() {
  for (int a = 0; a < kRanks; ++a)
    for (int b = a + 1; b < kRanks; ++b)
      if (int ends[2]; !socketpair(AF_UNIX, SOCK_STREAM, 0, ends))
        sockets[a][b] = ends[0], sockets[b][a] = ends[1];
  for (int rank = 0; rank < kRanks; ++rank)
    if (fork() == 0) _exit(as_process(rank));
  int failed = 0;
  for (int status = 0; wait(&status) > 0;) failed |= status != 0;
  return failed;
}
