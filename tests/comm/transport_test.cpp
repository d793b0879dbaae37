// The observed group over transports other than threads: sockets that misbehave, and pipes in memory.
#include <catch.h>

#include <array>
#include <condition_variable>
#include <cstdlib>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>

#include <sys/socket.h>
#include <unistd.h>

#include "check_text.h"
#include "patience.h"
#include "ringside/base/random.h"
#include "ringside/comm/errors.h"
#include "ringside/comm/launch.h"
#include "ringside/comm/observed_group.h"
#include "ringside/comm/parts.h"
#include "ringside/processes/join.h"
#include "thread_group.h"
#include "typed_buffer.h"

using namespace ringside;
using namespace ringside::testing;

namespace {

struct SocketPair {
  int ends[2];
  SocketPair() { REQUIRE(socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0); }
};

std::unique_ptr<ObservedGroup> group_over(const std::shared_ptr<ChannelHub>& hub, GroupOptions options = {}) {
  options.timeout = 2 * kPatience;
  const std::vector<int> ranks = {0, 1};
  return std::make_unique<ObservedGroup>(options, ranks, hub->rank(), Observers{},
                                         hub->connect(options.name, ranks, hub->rank()));
}

// How rank 0's barrier ends where its peer writes these bytes and closes.
std::vector<int> lost_after(const std::string& bytes) {
  SocketPair pair;
  const auto hub = hub_of_sockets(0, std::vector<int>{-1, pair.ends[0]});
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

// Bytes from one rank to another in memory, and back.
class Pipe {
 public:
  void put(const void* from, size_t bytes) {
    const std::lock_guard lock(mutex_);
    const auto* at = static_cast<const std::byte*>(from);
    bytes_.insert(bytes_.end(), at, at + bytes);
    changed_.notify_all();
  }
  bool take(void* to, size_t bytes) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return shut_ || bytes_.size() >= bytes; });
    if (bytes_.size() < bytes) return false;
    std::copy_n(bytes_.begin(), bytes, static_cast<std::byte*>(to));
    bytes_.erase(bytes_.begin(), bytes_.begin() + static_cast<std::ptrdiff_t>(bytes));
    return true;
  }
  void shut() {
    const std::lock_guard lock(mutex_);
    shut_ = true;
    changed_.notify_all();
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::byte> bytes_;
  bool shut_ = false;
};
class PipeChannel final : public Channel {
 public:
  PipeChannel(std::shared_ptr<Pipe> in, std::shared_ptr<Pipe> out)
      : in_(std::move(in)), out_(std::move(out)) {}
  Written write(const void* from, size_t bytes, TimePoint) override {
    out_->put(from, bytes);
    return Written::kAll;
  }
  bool read(void* to, size_t bytes) override { return in_->take(to, bytes); }
  void shut() override {
    in_->shut();
    out_->shut();
  }

 private:
  const std::shared_ptr<Pipe> in_, out_;
};

}  // namespace

TEST_CASE(
    "the peer is lost by bytes that are no frame, a frame that never ends and one that promises too much") {
  for (const std::string& bytes :
       {std::string(), std::string(200, 'x'), std::string("1FSR", 4),
        std::string("1FSR\1\0\1\0", 8) + std::string(40, '\0') + std::string(8, '\x7f')}) {
    CHECK(lost_after(bytes) == std::vector<int>{1});
  }
}

TEST_CASE("two processes that call different things are told so, each on its own") {
  SocketPair pair;
  const std::vector<std::shared_ptr<ChannelHub>> hubs = {
      hub_of_sockets(0, std::vector<int>{-1, pair.ends[0]}),
      hub_of_sockets(1, std::vector<int>{pair.ends[1], -1})};
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

TEST_CASE("a message that no frame holds is refused at the call, on all ranks, and the group goes on") {
  const auto part = [](Op op, int64_t in, int64_t out, int size, Dtype dtype = Dtype::kFloat32) {
    return largest_part({.op = op, .input = {nullptr, in, dtype}, .output = {nullptr, out, dtype}, .peer = 0},
                        size);
  };
  CHECK(part(Op::kBroadcast, 100, 100, 4) == 400);
  CHECK(part(Op::kBroadcast, 100, 100, 1) == 0);
  CHECK(part(Op::kSend, 100, 0, 4, Dtype::kUInt8) == 100);
  CHECK(part(Op::kAllReduce, 101, 101, 4) == 26 * 4);
  CHECK(part(Op::kReduceScatter, 100, 25, 4) == 100);
  CHECK(part(Op::kAllGather, 25, 100, 4) == 100);
  CHECK(part(Op::kAllToAll, 100, 100, 4, Dtype::kFloat64) == 200);
  CHECK(part(Op::kBarrier, 0, 0, 4) == 0);

  SocketPair pair;
  const std::vector<std::shared_ptr<ChannelHub>> hubs = {
      hub_of_sockets(0, std::vector<int>{-1, pair.ends[0]}),
      hub_of_sockets(1, std::vector<int>{pair.ends[1], -1})};
  std::vector<std::string> texts(2);
  std::vector<double> sums(2, 1);
  std::vector<std::thread> ranks;
  for (size_t rank = 0; rank < 2; ++rank)
    ranks.emplace_back([&, rank] {
      const auto group = group_over(hubs[rank]);
      const MutableView large{&sums[rank], (int64_t{1} << 32) + 1, Dtype::kUInt8};  // nobody looks at it
      texts[rank] = message_of<UsageError>([&] { group->broadcast(large, 0, {})->wait(); });
      group->all_reduce({&sums[rank], 1, Dtype::kFloat64}, {})->wait();
    });
  for (std::thread& rank : ranks) rank.join();
  for (const std::string& text : texts)
    CHECK(lacks(text, {"broadcast of 4294967297 bytes", "4294967296 are allowed"}) == "");
  CHECK(sums == std::vector<double>{2, 2});
}

// Up to `most` bytes, until the first end closes.
void forward(int from, int to, size_t most) {
  std::array<std::byte, 1 << 16> bytes{};
  for (ssize_t got = 1; got > 0 && most > 0; most -= static_cast<size_t>(got)) {
    got = ::read(from, bytes.data(), std::min(bytes.size(), most));
    if (got > 0) ::send(to, bytes.data(), static_cast<size_t>(got), MSG_NOSIGNAL);
  }
}

TEST_CASE("data that stops half way: the call ends at its deadline, and nobody writes to its memory then") {
  constexpr int64_t kElements = 2 << 20, kPassed = 1 << 20;  // 8 MiB, more than goes along with a record
  SocketPair near, far;
  const std::vector<std::shared_ptr<ChannelHub>> hubs = {
      hub_of_sockets(0, std::vector<int>{-1, near.ends[0]}),
      hub_of_sockets(1, std::vector<int>{far.ends[0], -1})};
  std::thread there([&] { forward(near.ends[1], far.ends[1], SIZE_MAX); });
  std::thread back([&] {
    forward(far.ends[1], near.ends[1], 64);                      // its record
    std::this_thread::sleep_for(std::chrono::milliseconds(50));  // now data is expected
    forward(far.ends[1], near.ends[1], kPassed);
  });
  std::vector<std::vector<float>> memory = {std::vector<float>(kElements, 0.f),
                                            std::vector<float>(kElements, 1.f)};
  std::vector<std::vector<int>> late(2);
  std::vector<std::thread> ranks;
  for (const size_t rank : {0, 1})
    ranks.emplace_back([&, rank] {
      const GroupOptions options{.name = "dp", .timeout = std::chrono::milliseconds(250)};
      const std::vector<int> both = {0, 1};
      ObservedGroup group(options, both, static_cast<int>(rank), Observers{},
                          hubs[rank]->connect("dp", both, static_cast<int>(rank)));
      try {
        group.broadcast({memory[rank].data(), kElements, Dtype::kFloat32}, 1, {})->wait();
      } catch (const TimeoutError& error) {
        late[rank] = error.ranks();
      } catch (const Error&) {  // rank 1's own end is not what is asked about
      }
    });
  for (std::thread& rank : ranks) rank.join();
  CHECK(late[0] == std::vector<int>{1});
  const std::vector<float> before = memory[0];
  const std::vector<float> rest(kPassed, 2.f);
  ::send(near.ends[1], rest.data(), kPassed, MSG_NOSIGNAL | MSG_DONTWAIT);
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  CHECK((memory[0] == before));
  for (const int end : {near.ends[1], far.ends[1]}) ::shutdown(end, SHUT_RDWR);
  there.join(), back.join();
  for (const int end : {near.ends[1], far.ends[1]}) ::close(end);
}

// The bits of a sum depend on its order: that of threads.
TEST_CASE("a channel of a few lines is all that a transport needs, and its sums have the bits of threads") {
  constexpr int kRanks = 3;
  constexpr int64_t kElements = 1001;
  std::array<std::array<std::shared_ptr<Pipe>, kRanks>, kRanks> pipes;  // (from, to)
  for (auto& row : pipes)
    for (auto& pipe : row) pipe = std::make_shared<Pipe>();
  std::vector<std::unique_ptr<ObservedGroup>> groups;
  const std::vector<int> ranks = {0, 1, 2};
  GroupOptions options;
  options.timeout = 2 * kPatience;
  for (const int rank : ranks) {
    std::vector<std::unique_ptr<Channel>> channels(kRanks);
    for (const int peer : ranks) {
      const auto at = static_cast<size_t>(peer), own = static_cast<size_t>(rank);
      if (peer != rank) channels[at] = std::make_unique<PipeChannel>(pipes[at][own], pipes[own][at]);
    }
    const auto hub = std::make_shared<ChannelHub>(rank, std::move(channels), "pipes");
    groups.push_back(
        std::make_unique<ObservedGroup>(options, ranks, rank, Observers{}, hub->connect("dp", ranks, rank)));
  }
  const auto summed = [&](const std::function<ProcessGroup&(int)>& group_of) {
    std::vector<std::vector<float>> sums(kRanks, std::vector<float>(kElements));
    run_ranks(
        kRanks,
        [&](int rank) {
          std::vector<float>& own = sums[static_cast<size_t>(rank)];
          RandomStream random(static_cast<uint64_t>(rank), "values");
          for (float& value : own) value = static_cast<float>(random.uniform());
          group_of(rank).all_reduce({own.data(), kElements, Dtype::kFloat32}, {})->wait();
        },
        [&](int rank, const std::string& reason) { group_of(rank).abort(reason); });
    return sums;
  };
  const auto threads = make_thread_group(kRanks, {});
  const auto over_pipes =
      summed([&](int rank) -> ProcessGroup& { return *groups[static_cast<size_t>(rank)]; });
  CHECK(over_pipes == summed([&](int rank) -> ProcessGroup& { return *threads[static_cast<size_t>(rank)]; }));
  CHECK(over_pipes[0] == over_pipes[2]);
}
