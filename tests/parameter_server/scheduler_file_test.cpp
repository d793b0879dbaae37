// The scheduler's table in a file: what was saved comes back whole, or is refused and stays as it is.
#include "ringside/parameter_server/scheduler.h"

#include <catch.h>
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check_text.h"
#include "fuzz.h"
#include "lone_endpoint.h"
#include "ringside/base/read_file.h"
#include "temp_folder.h"
#include "toy_training.h"

using namespace ringside;
using namespace ringside::testing;

namespace {

void write(const std::filesystem::path& path, const std::string& text) {
  std::ofstream(path, std::ios::binary) << text;
}

std::string refusal(const std::filesystem::path& path, uint64_t world = 7) {
  const std::string before = read_file(path, 1 << 20);
  try {
    const Bytes read = SchedulerFile(path, world).load();
    return "read " + std::to_string(read.size()) + " bytes";
  } catch (const InputError& error) {
    return read_file(path, 1 << 20) == before ? error.what() : "it changed the file";
  }
}

}  // namespace

TEST_CASE("scheduler's file: what was saved last is read; torn, changed or foreign it is refused") {
  const testing::TempFolder folder;
  const auto path = folder.path / "table";
  SchedulerFile file(path, 7);
  CHECK(file.load().empty());
  for (const size_t size : {size_t{0}, size_t{1}, size_t{70'000}}) {
    const Bytes bytes(size, static_cast<uint8_t>(size));
    file.save(bytes);
    CHECK(SchedulerFile(path, 7).load() == bytes);
  }
  CHECK(std::distance(std::filesystem::directory_iterator(folder.path), {}) == 1);
  CHECK_THROWS_AS(SchedulerFile(folder.path / "none" / "table", 7).save({1}), InputError);
  const testing::TempFolder other;
  const auto torn = other.path / "table";
  SchedulerFile(torn, 7).save({1, 2, 3, 4, 5});
  const std::string whole = read_file(torn, 1 << 20);
  int read = 0;
  for (size_t size = 0; size < whole.size(); ++size) {
    write(torn, whole.substr(0, size));
    read += lacks(refusal(torn), {torn.string(), "is no scheduler's table", "move this one away"}) != "";
    std::string changed = whole;
    changed[size] = static_cast<char>(changed[size] ^ 0x10);
    write(torn, changed);
    read += lacks(refusal(torn), {"is no scheduler's table"}) != "";
  }
  CHECK(read == 0);
  write(torn, whole + "x");
  CHECK(lacks(refusal(torn), {"a frame says 5 bytes and has 6"}) == "");
  write(torn, whole);
  CHECK(refusal(torn) == "read 5 bytes");
  CHECK(lacks(refusal(torn, 8), {"of world 0000000000000007"}) == "");
  write(torn, "Dear diary");
  CHECK(lacks(refusal(torn), {"holds no header"}) == "");
}

TEST_CASE("scheduler's file: of a process killed while it saves a whole table is read") {
  const testing::TempFolder folder;
  const auto path = folder.path / "table";
  RandomStream random(1, "killed while it saves");
  const auto table = [](uint32_t version) { return Bytes(20'000, static_cast<uint8_t>(version)); };
  for (int round = 0; round < 10; ++round) {
    int ends[2];
    REQUIRE(::pipe2(ends, O_CLOEXEC) == 0);
    const pid_t child = ::fork();
    if (child == 0) {
      SchedulerFile file(path, 7);
      for (uint8_t version = 1;; ++version) {
        file.save(table(version));
        [[maybe_unused]] const ssize_t told = ::write(ends[1], &version, 1);
      }
    }
    ::close(ends[1]);
    uint8_t saved = 0;
    CHECK(::read(ends[0], &saved, 1) == 1);
    ::usleep(static_cast<useconds_t>(random.below(30'000)));
    ::kill(child, SIGKILL);
    ::waitpid(child, nullptr, 0);
    while (::read(ends[0], &saved, 1) == 1) continue;
    ::close(ends[0]);
    const Bytes read = SchedulerFile(path, 7).load();
    const bool is_last = read == table(saved), is_next = read == table(saved + 1U);
    CAPTURE(round, int{saved}, read.size());
    CHECK((is_last || is_next));
  }
}

TEST_CASE("scheduler's file: a scheduler goes on from it, and refuses one whose content is no table") {
  const testing::TempFolder folder;
  const Cluster cluster = toy_cluster(1, 2, 1, 20);
  LoneEndpoint endpoint(kScheduler);
  SchedulerFile file(folder.path / "table", cluster.world);
  uint64_t version = 0;
  {
    Scheduler scheduler(endpoint, cluster, &file);
    for (const NodeId server : {1U, 2U, 1001U}) {
      const Heartbeat beat{.sent_ns = 1, .is_server = server < 1000};
      scheduler.receive({server, encode(beat, cluster.world, server, kScheduler)});
    }
    scheduler.tick();
    version = scheduler.table().version;
    CHECK(version > 0);
  }
  endpoint.now += 1000 * kSecond;
  Scheduler again(endpoint, cluster, &file);
  CHECK(again.table().chains.size() == 5);
  CHECK(again.living_servers(true) == std::set<NodeId>{1, 2});
  again.tick();  // it has heard of nobody since, and takes all for alive
  CHECK(again.table().version == version);
  RandomStream random(1, "no table");
  for (int i = 0; i < 20; ++i) {
    file.save(random_bytes(random, 200));
    if (!file.load().empty()) CHECK_THROWS_AS(Scheduler(endpoint, cluster, &file), InputError);
  }
}

TEST_CASE("scheduler: a server that leaves before the first table is in none, and may go") {
  const Cluster cluster = toy_cluster(1, 1, 0, 20);
  LoneEndpoint endpoint(kScheduler);
  Scheduler scheduler(endpoint, cluster);
  const auto beat = [&](NodeId node, bool leaving) {
    const Heartbeat says{.sent_ns = 1, .is_server = node < 1000, .leaving = leaving};
    scheduler.receive({node, encode(says, cluster.world, node, kScheduler)});
  };
  for (int look = 0; look < 2; ++look, endpoint.now += cluster.timing.give_up_ns) {
    beat(1, true), beat(1001, false);
    scheduler.tick();
    CHECK(scheduler.table().version == 0);
  }
  beat(1, true), beat(2, false), beat(1001, false);
  scheduler.tick();
  REQUIRE(!scheduler.table().chains.empty());
  for (const Chain& chain : scheduler.table().chains) CHECK(chain.nodes == std::vector<NodeId>{2});

  for (const uint64_t version : {0U, 1U}) {  // of the scheduler's table when it hears that the server leaves
    LoneEndpoint own(1);
    Server server(own, cluster);
    const auto answered = [&](int64_t sent_ns) {
      server.receive({kScheduler, encode(Lease{sent_ns, version}, cluster.world, kScheduler, 1)});
      return server.has_left();
    };
    server.tick();
    server.leave();
    CHECK_FALSE(answered(own.now));  // that heartbeat did not say it yet
    own.now += cluster.timing.heartbeat_ns;
    server.tick();
    CHECK(answered(own.now) == (version == 0));
  }
}

TEST_CASE("scheduler: the first table waits for all who are expected, but not for ever") {
  const Cluster cluster = toy_cluster(2, 1, 0, 20);
  LoneEndpoint endpoint(kScheduler);
  endpoint.now = 1'000'000 * kSecond;  // a machine that has been up for long
  Scheduler scheduler(endpoint, cluster);
  const auto hear = [&] {
    for (const NodeId node : {1U, 1001U}) {
      const Heartbeat beat{.sent_ns = 1, .is_server = node < 1000};
      scheduler.receive({node, encode(beat, cluster.world, node, kScheduler)});
    }
    scheduler.tick();
  };
  hear();
  CHECK(scheduler.table().chains.empty());
  endpoint.now += cluster.timing.give_up_ns;
  hear();
  CHECK(!scheduler.table().chains.empty());
}
