// The Channel over Gloo: bytes, deadlines, ends. Ranks are threads of this process.
#include <catch.h>

#include <atomic>
#include <thread>

#include "gloo_mesh.h"
#include "patience.h"
#include "ringside/base/random.h"

using namespace ringside;
using namespace ringside::testing;
using namespace std::chrono_literals;

namespace {

TimePoint in_time() { return SteadyClock::now() + kPatience; }

// The two ends of a channel between ranks 0 and 1, each with connections of its own.
std::array<std::unique_ptr<Channel>, 2> channel_ends() {
  std::array<std::unique_ptr<Channel>, 2> ends;
  const auto store = make_memory_store();
  std::vector<std::thread> ranks;
  for (int rank = 0; rank < 2; ++rank)
    ranks.emplace_back([&, rank] {
      const auto mesh = std::make_shared<GlooMesh>();
      mesh->store = store;
      mesh->device = gloo_device({});
      mesh->context = gloo_context(*mesh, "test/", rank, 2, in_time());
      ends[static_cast<size_t>(rank)] = make_gloo_channel(mesh, 1 - rank);
    });
  for (std::thread& rank : ranks) rank.join();
  return ends;
}

std::vector<std::byte> drawn_bytes(size_t count) {
  std::vector<std::byte> bytes(count);
  RandomStream random(count, "bytes");
  for (std::byte& value : bytes) value = static_cast<std::byte>(random.below(256));
  return bytes;
}

}  // namespace

TEST_CASE("what is written in any pieces is read in any pieces") {
  const auto ends = channel_ends();
  const std::vector<size_t> sizes = {1, 55, 240, 241, 4096, 1 << 16, (1 << 16) + 1, 1 << 18, 1 << 20, (3 << 20) + 7,
                                     3};
  size_t total = 0;
  for (const size_t size : sizes) total += 2 * size;
  const std::vector<std::byte> bytes = drawn_bytes(total);
  for (const size_t most : {size_t{777}, size_t{1} << 19, total}) {
    CAPTURE(most);
    std::thread writer([&] {
      const std::byte* at = bytes.data();
      for (const size_t size : sizes) {
        ends[0]->write(at, size, in_time());
        const size_t head = std::min<size_t>(size, 56);  // behind a header, and before it is anything else
        ends[0]->write_behind({at + size, head}, at + size + head, size - head, in_time());
        at += 2 * size;
      }
    });
    std::vector<std::byte> read(total);
    bool whole = true;
    for (size_t done = 0; done < total;) {
      const size_t part = std::min(most, total - done);
      whole = whole && ends[1]->read(read.data() + done, part);
      done += part;
    }
    writer.join();
    CHECK(whole);
    CHECK(read == bytes);
  }
}

TEST_CASE("what was written before an end is read, also where both come at once") {
  int read = 0;
  constexpr int kTimes = 40;
  std::vector<std::jthread> busy;  // so that who waits wakes up when both have come
  for (unsigned i = 0; i < 4 * std::thread::hardware_concurrency(); ++i)
    busy.emplace_back([](const std::stop_token& stop) {
      while (!stop.stop_requested()) continue;
    });
  for (int time = 0; time < kTimes; ++time) {
    const auto ends = channel_ends();
    std::thread reader([&] {
      std::byte one{};
      read += ends[1]->read(&one, 1);
      read += ends[1]->read(&one, 1);
      read -= ends[1]->read(&one, 1);  // nothing is left
    });
    std::this_thread::sleep_for(2ms);  // it waits
    const std::byte one{};
    for (int i = 0; i < 2; ++i) ends[0]->write(&one, 1, in_time());
    ends[0]->shut();
    reader.join();
  }
  CHECK(read == 2 * kTimes);
}

TEST_CASE("a write that nobody takes is late at its deadline, and the channel has ended at both ends") {
  const auto ends = channel_ends();
  const std::vector<std::byte> bytes(4 << 20);
  const TimePoint start = SteadyClock::now();
  CHECK(ends[0]->write(bytes.data(), bytes.size(), start + 100ms) == Channel::Written::kLate);
  CHECK(SteadyClock::now() - start >= 100ms);
  std::byte one{};
  CHECK(ends[0]->write(&one, 1, in_time()) == Channel::Written::kLost);
  std::vector<std::byte> read(bytes.size());
  CHECK_FALSE(ends[1]->read(read.data(), read.size()));
}

TEST_CASE("shut() ends reads that wait and a write, here and at the peer") {
  for (const size_t shut_by : {size_t{0}, size_t{1}}) {
    const auto reading = channel_ends(), writing = channel_ends();
    std::atomic<int> reads_ended = 0;
    std::atomic<bool> write_ended = false;
    std::vector<std::thread> threads;
    for (const auto& end : reading)
      threads.emplace_back([&] {
        std::byte one{};
        if (!end->read(&one, 1)) ++reads_ended;
      });
    threads.emplace_back([&] {
      const std::vector<std::byte> bytes(4 << 20);
      write_ended = writing[0]->write(bytes.data(), bytes.size(), in_time()) == Channel::Written::kLost;
    });
    std::this_thread::sleep_for(20ms);
    for (const auto* ends : {&reading, &writing}) (*ends)[shut_by]->shut();
    for (std::thread& thread : threads) thread.join();
    CHECK(reads_ended == 2);
    CHECK(write_ended);
  }
}
