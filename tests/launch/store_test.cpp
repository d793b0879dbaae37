// Where processes meet: who is let in, what is waited for, and that no stranger's bytes disturb it.
#include "ringside/launch/store.h"

#include <catch.h>
#include <sys/socket.h>

#include <cstdlib>
#include <thread>

#include "check_text.h"
#include "mutated.h"
#include "patience.h"
#include "ringside/base/random.h"
#include "ringside/launch/stream.h"
#include "store_frames.h"

using namespace ringside;
using namespace ringside::testing;

namespace {

const RunName kRun{"run 7", 3, 1};
constexpr std::chrono::milliseconds kSoon{50};

TimePoint by(std::chrono::nanoseconds wait) { return SteadyClock::now() + wait; }
auto join(const StoreServer& server, int rank, const RunName& run = kRun) {
  return connect_store("127.0.0.1", server.port(), run, rank, by(kPatience));
}

// What a raw connection that sends these bytes hears, until the other side closes it.
std::string answer_to(const StoreServer& server, const std::string& bytes) {
  const Descriptor socket = connect_to("127.0.0.1", server.port(), by(kPatience));
  REQUIRE(socket.open());
  write_stream(socket.number(), bytes.data(), bytes.size(), by(kPatience));
  ::shutdown(socket.number(), SHUT_WR);
  std::string heard;
  for (char letter; read_stream(socket.number(), &letter, 1, by(kPatience)) == Streamed::kAll;)
    heard += letter;
  return heard;
}

// A frame of ours, with some bytes changed, cut off or added.
std::string mutated_frame(RandomStream& random) {
  StoreFrame frame{static_cast<StoreWord>(random.below(10)), static_cast<int64_t>(random.next()),
                   std::string(random.below(300), 'k'), std::string(random.below(2000), 'v')};
  if (random.below(3) == 0) frame.value = pack(Member{kRun, static_cast<int>(random.below(5))});
  return random.below(4) == 0 ? pack(frame) : mutated(pack(frame), random);
}

// Whether that rank is gone, or soon will be.
bool sees_gone(TcpStore& store, int rank) {
  const TimePoint deadline = by(kPatience);
  while (!store.look(rank, "key").is_gone && SteadyClock::now() < deadline)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  return store.look(rank, "key").is_gone;
}

}  // namespace

TEST_CASE("store: a value is waited for, replaced, and may be empty or large") {
  StoreServer server(kRun);
  const auto first = join(server, 0), second = join(server, 1);
  std::thread later([&] {
    std::this_thread::sleep_for(kSoon);
    second->set("key", "there");
  });
  CHECK(first->get("key", by(kPatience)) == "there");
  later.join();
  const std::string large(kMostValueBytes, 'x');
  first->set("key", large);
  CHECK(second->get("key", by(kPatience)) == large);
  first->set("key", "");
  CHECK(second->get("key", by(kPatience)).empty());
  CHECK(lacks(message_of<Error>([&] { first->set("key", large + "x"); }), {"allowed are 16777216 bytes"}) ==
        "");
}

TEST_CASE("store: what finds no room is refused, and its member stays") {
  StoreServer server(kRun, "127.0.0.1", 0, 100);
  const auto first = join(server, 0), second = join(server, 1);
  first->set("a", std::string(60, 'x'));
  CHECK(lacks(message_of<StoreRefusedError>([&] { second->set("b", std::string(50, 'x')); }),
              {"refused a value", "b has no room in 100 bytes"}) == "");
  CHECK_FALSE(second->look(1, "b").is_gone);
  first->set("a", "");
  second->set("b", std::string(50, 'x'));
  CHECK(first->look(1, "b").value == std::string(50, 'x'));
  CHECK_FALSE(first->look(1, "c").value);
}

TEST_CASE("store: every wait has a deadline, which its message names") {
  StoreServer server(kRun);
  const auto store = join(server, 0);
  const TimePoint start = SteadyClock::now();
  CHECK(lacks(message_of<Error>([&] { store->get("nothing", by(kSoon)); }), {"'nothing'"}) == "");
  CHECK(SteadyClock::now() - start >= kSoon);
  const Descriptor silent = listen_at("127.0.0.1", 0);  // takes connections, and never answers
  CHECK_THROWS_AS(connect_store("127.0.0.1", port_of(silent), kRun, 0, by(kSoon)), StoreTimeoutError);
  const int closed = port_of(listen_at("127.0.0.1", 0));
  CHECK(lacks(message_of<Error>([&] { connect_store("127.0.0.1", closed, kRun, 2, by(kSoon)); }),
              {"is rank 0 there?"}) == "");
}

TEST_CASE("store: whoever keeps it may be slow to start") {
  const int port = port_of(listen_at("127.0.0.1", 0));
  std::unique_ptr<StoreServer> server;
  std::thread later([&] {
    std::this_thread::sleep_for(kSoon);
    server = std::make_unique<StoreServer>(kRun, "127.0.0.1", port);
  });
  const auto store = connect_store("127.0.0.1", port, kRun, 1, by(kPatience));
  later.join();
  store->set("key", "value");
  CHECK(store->get("key", by(kPatience)) == "value");
}

TEST_CASE("store: another run, size, restart or rank is refused by name, and the run goes on") {
  StoreServer server(kRun);
  const auto member = join(server, 1);
  CHECK(lacks(message_of<Error>([&] {
                join(server, 0, {"run 8", 3, 1});
              }),
              {"run 'run 8', and here is run 'run 7'"}) == "");
  CHECK(lacks(message_of<Error>([&] {
                join(server, 0, {"run 7", 4, 1});
              }),
              {"one of 4 ranks, and here is a run of 3"}) == "");
  CHECK(lacks(message_of<Error>([&] {
                join(server, 0, {"run 7", 3, 0});
              }),
              {"restart 0, and here is restart 1"}) == "");
  CHECK(lacks(message_of<Error>([&] { join(server, 3); }), {"ranks are 0 to 2"}) == "");
  CHECK(lacks(message_of<Error>([&] { join(server, 1); }), {"there already"}) == "");
  StoreFrame hello{.word = StoreWord::kHello, .value = pack(Member{kRun, 0}), .version = 9};
  CHECK(lacks(answer_to(server, pack(hello)), {"version 9, and this store's of version 1"}) == "");
  member->set("key", "value");
  CHECK(join(server, 0)->get("key", by(kPatience)) == "value");
}

TEST_CASE("store: a rank that is gone is named at once to who waits, one that has left is not lost") {
  StoreServer server(kRun);
  const auto waits = join(server, 0);
  join(server, 1).reset();  // says goodbye
  CHECK_THROWS_AS(waits->get("key", by(kSoon)), StoreTimeoutError);
  CHECK(sees_gone(*waits, 1));
  StoreFrame hello{.word = StoreWord::kHello, .value = pack(Member{kRun, 2})};
  answer_to(server, pack(hello));  // and closes, as the system does for a process that was killed
  try {
    waits->get("key", by(kPatience));
    FAIL("it was there");
  } catch (const StoreLostError& lost) {
    CHECK(lost.rank == 2);
  }
  CHECK(sees_gone(*waits, 2));
  CHECK(lacks(message_of<Error>([&] { join(server, 2); }), {"was lost"}) == "");
}

TEST_CASE("store: where it ends, those who wait hear it") {
  auto server = std::make_unique<StoreServer>(kRun);
  const auto store = join(*server, 1);
  std::thread ends([&] {
    std::this_thread::sleep_for(kSoon);
    server.reset();
  });
  CHECK_THROWS_AS(store->get("key", by(kPatience)), StoreLostError);
  ends.join();
}

TEST_CASE("store: who gives up says why to those who wait, and they leave") {
  StoreServer server(kRun);
  auto store = join(server, 1);
  server.give_up("rank 2 has not come");
  CHECK(message_of<StoreTimeoutError>([&] { store->get("key", by(kPatience)); }) == "rank 2 has not come");
  CHECK_FALSE(server.wait_until_left(by(kSoon)));
  store.reset();
  CHECK(server.wait_until_left(by(kPatience)));
}

TEST_CASE("store: a port in use is named") {
  StoreServer server(kRun);
  CHECK(lacks(message_of<Error>([&] { StoreServer(kRun, "127.0.0.1", server.port()); }),
              {"cannot listen at 127.0.0.1:" + std::to_string(server.port())}) == "");
}

TEST_CASE("store: a process's clock as another sees it") {
  StoreServer server(kRun);
  const ClockOffset clock = join(server, 0)->measure_clock(20, by(kPatience));
  CHECK(std::abs(clock.offset_ns) <= clock.error_ns);  // one clock here
  CHECK(clock.error_ns < 50'000'000);
}

TEST_CASE("store: HTTP, random and mutated bytes are refused, and members do not notice") {
  StoreServer server(kRun);
  const auto member = join(server, 0);
  CHECK(answer_to(server, "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n").empty());
  RandomStream random(7, "store");
  const TimePoint end = by(fuzz_time());
  do {
    std::string bytes = mutated_frame(random);
    if (random.below(4) == 0)
      for (char& letter : bytes) letter = static_cast<char>(random.next());
    answer_to(server, bytes);
  } while (SteadyClock::now() < end);
  member->set("key", "value");
  CHECK(member->get("key", by(kPatience)) == "value");
}

TEST_CASE("store: a frame is read whole or not at all, and its bounds hold") {
  const StoreFrame sent{.word = StoreWord::kSet, .number = -5, .key = "key", .value = std::string("a\0b", 3)};
  const std::string bytes = pack(sent);
  StoreFrame frame;
  size_t used = 0;
  for (size_t cut = 0; cut < bytes.size(); ++cut)
    CHECK(parse_store_frame(std::string_view(bytes).substr(0, cut), frame, used) == StoreBytes::kMore);
  CHECK(parse_store_frame(bytes + "more", frame, used) == StoreBytes::kFrame);
  CHECK((used == bytes.size() && frame.key == sent.key && frame.value == sent.value && frame.number == -5));
  for (const size_t byte : {size_t{0}, size_t{7}, size_t{11}, size_t{15}}) {  // magic, word, lengths
    std::string wrong = bytes;
    wrong[byte] = '\x7f';
    CHECK(parse_store_frame(wrong, frame, used) == StoreBytes::kForeign);
  }
  RandomStream random(11, "store");
  for (int round = 0; round < 20'000; ++round) {
    const std::string some = mutated_frame(random);
    if (parse_store_frame(some, frame, used) == StoreBytes::kFrame) REQUIRE(used <= some.size());
    unpack_member(some);
  }
}

TEST_CASE("store: of one process alone") {
  const auto store = make_memory_store();
  std::thread other([&] { store->set("key", "value"); });
  CHECK(store->get("key", by(kPatience)) == "value");
  other.join();
  CHECK_THROWS_AS(store->get("nothing", by(kSoon)), StoreTimeoutError);
}
