// The observed group over transports other than threads: sockets that misbehave, and one that hands calls
// over.
#include <catch.h>

#include <cstdlib>
#include <thread>

#include <sys/socket.h>
#include <unistd.h>

#include "check_text.h"
#include "patience.h"
#include "ringside/comm/errors.h"
#include "ringside/comm/observed_group.h"
#include "ringside_sockets/socket_transport.h"
#include "typed_buffer.h"

using namespace ringside;
using namespace ringside::testing;

namespace {

struct SocketPair {
  int ends[2];
  SocketPair() { REQUIRE(socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0); }
};

std::unique_ptr<ObservedGroup> group_over(const std::shared_ptr<SocketHub>& hub, GroupOptions options = {}) {
  options.timeout = 2 * kPatience;
  const std::vector<int> ranks = {0, 1};
  return std::make_unique<ObservedGroup>(options, ranks, hub->rank(), Observers{},
                                         hub->connect(options.name, ranks, hub->rank()));
}

// How rank 0's barrier ends where its peer writes these bytes and closes.
std::vector<int> lost_after(const std::string& bytes) {
  SocketPair pair;
  const auto hub = std::make_shared<SocketHub>(0, std::vector<int>{-1, pair.ends[0]});
  const auto group = group_over(hub);
  REQUIRE(::write(pair.ends[1], bytes.data(), bytes.size()) == static_cast<ssize_t>(bytes.size()));
  ::shutdown(pair.ends[1], SHUT_WR);
  std::vector<int> lost;
  try {
    group->barrier({})->wait();
  } catch (const PeerLostError& error) {
    lost = error.ranks();
  }
  ::close(pair.ends[1]);
  return lost;
}

// A device's stream: the call is enqueued at once, and settled when the test says so.
class Stream final : public Transport {
 public:
  explicit Stream(const std::atomic<bool>& settled) : settled_(settled) {}
  std::string description() const override { return "a stream"; }
  bool reaches(Device device) const override { return device == Device::kCuda; }
  bool observes_bytes() const override { return false; }
  Outcome carry(const std::shared_ptr<TransportCall>&) override { return {Outcome::Kind::kHandedOver}; }
  bool settled(const TransportCall&) override { return settled_; }
  void break_off(const Failure& failure) override {
    if (failure_) return;
    failure_ = failure;
    if (listener_) listener_(failure);
  }
  std::optional<Failure> failure() override { return failure_; }
  void on_broken(std::function<void(const Failure&)> listener) override { listener_ = std::move(listener); }
  void leave() override {}

 private:
  const std::atomic<bool>& settled_;
  std::optional<Failure> failure_;
  std::function<void(const Failure&)> listener_;
};

}  // namespace

TEST_CASE(
    "bytes that are no frame, a frame that never ends and one that promises too much: the peer is lost") {
  for (const std::string& bytes :
       {std::string(), std::string(200, 'x'), std::string("1FSR", 4),
        std::string("1FSR\1\0\1\0", 8) + std::string(40, '\0') + std::string(8, '\x7f')}) {
    CHECK(lost_after(bytes) == std::vector<int>{1});
  }
}

TEST_CASE("a rank and sockets that make no sense are told by name") {
  const auto said = [](const char* rank, const char* sockets) -> std::string {
    ::setenv(SocketHub::kRankVariable, rank, 1);
    ::setenv(SocketHub::kSocketsVariable, sockets, 1);
    const std::string text = message_of<UsageError>([] { SocketHub::from_environment(); });
    ::unsetenv(SocketHub::kRankVariable);
    ::unsetenv(SocketHub::kSocketsVariable);
    return text;
  };
  CHECK(said("2", "-1,5") == "RINGSIDE_RANK=2: allowed are 0 to 1, one for each of RINGSIDE_SOCKETS=-1,5");
  CHECK(said("x", "-1,0") == "RINGSIDE_RANK=x: allowed are 0 to 1, one for each of RINGSIDE_SOCKETS=-1,0");
  CHECK(said("0", "-1,987") == "RINGSIDE_SOCKETS=-1,987: rank 1's is no open socket");
  CHECK(said("0", "-1,0x") == "RINGSIDE_SOCKETS=-1,0x: rank 1's is no open socket");
  CHECK(SocketHub::from_environment() == nullptr);
}

TEST_CASE("two processes that call different things are told so, each on its own") {
  SocketPair pair;
  const std::vector<std::shared_ptr<SocketHub>> hubs = {
      std::make_shared<SocketHub>(0, std::vector<int>{-1, pair.ends[0]}),
      std::make_shared<SocketHub>(1, std::vector<int>{pair.ends[1], -1})};
  std::vector<std::string> texts(2);
  std::vector<std::thread> ranks;
  for (size_t rank = 0; rank < 2; ++rank)
    ranks.emplace_back([&, rank] {
      const auto group = group_over(hubs[rank]);
      TypedBuffer buffer(Dtype::kFloat32, rank == 0 ? 8 : 9);
      try {
        group->all_reduce(buffer.view(), {})->wait();
      } catch (const MismatchError& error) {
        texts[rank] = error.what();
      }
    });
  for (std::thread& rank : ranks) rank.join();
  for (const std::string& text : texts) {
    CAPTURE(text);
    CHECK(
        text.find("rank 0 calls dp #0 all_reduce of 8 float32; rank 1 calls dp #0 all_reduce of 9 float32") !=
        std::string::npos);
  }
}

TEST_CASE("a call handed over to a stream is over when the stream says so, or at its deadline") {
  std::atomic<bool> settled = false;
  GroupOptions options;
  options.timeout = 2 * kPatience;
  {
    ObservedGroup group(options, {0, 1}, 0, {}, std::make_unique<Stream>(settled));
    float value = 0;
    CHECK_THROWS(group.all_reduce({&value, 1, Dtype::kFloat32}, {}));  // memory of the CPU
    const WorkPtr work = group.all_reduce({&value, 1, Dtype::kFloat32, Device::kCuda}, {});
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    CHECK_FALSE(work->done());
    settled = true;
    work->wait();
  }
  settled = false;
  options.timeout = std::chrono::milliseconds(50);
  ObservedGroup group(options, {0, 1}, 0, {}, std::make_unique<Stream>(settled));
  float value = 0;
  CHECK_THROWS_AS(group.all_reduce({&value, 1, Dtype::kFloat32, Device::kCuda}, {})->wait(), TimeoutError);
}
