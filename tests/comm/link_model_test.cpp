#include <catch.h>

#include <thread>

#include "on_ranks.h"
#include "ringside/base/clock.h"
#include "ringside/comm/errors.h"
#include "ringside/comm/link_record.h"
#include "typed_buffer.h"

using namespace ringside;
using namespace ringside::testing;

namespace {

double seconds_since(TimePoint start) {
  return std::chrono::duration<double>(SteadyClock::now() - start).count();
}

}  // namespace

TEST_CASE("links are parsed by name or as latency and bandwidth") {
  CHECK_FALSE(parse_link("none").simulated());
  CHECK(parse_link("none").seconds(5, 1000) == 0);
  CHECK(parse_link("ethernet").bytes_per_s == Approx(0.125e9));
  const LinkModel custom = parse_link("50us/0.1GBps");
  CHECK(custom.latency_s == Approx(50e-6));
  CHECK(custom.bytes_per_s == Approx(0.1e9));
  CHECK(custom.seconds(3, 1'000'000) == Approx(3 * 50e-6 + 0.01));
  for (const LinkModel& preset : link_presets()) CHECK(parse_link(preset.name).name == preset.name);
  // Of a ring of 4: N - 1 hops a pass, two passes of an all-reduce.
  CHECK(hops(Op::kAllReduce, 4) == 6);
  for (const Op op : {Op::kReduceScatter, Op::kAllGather, Op::kAllToAll}) CHECK(hops(op, 4) == 3);
  for (const Op op : {Op::kBroadcast, Op::kSend, Op::kBarrier}) CHECK(hops(op, 4) == 1);
  CHECK(hops(Op::kAllReduce, 1) == 0);
}

TEST_CASE("100g carries 100 Gbit/s, and the presets tell their figures") {
  const LinkModel link = parse_link("100g");
  CHECK(8 * link.bytes_per_s == Approx(100e9));
  CHECK(link.latency_s == Approx(5e-6));
  CHECK(
      link_figures() ==
      "nvlink (450 GB/s, 3 us), pcie (25 GB/s, 10 us), 100g (12.5 GB/s, 5 us), ethernet (0.125 GB/s, 50 us)");
  for (const std::string& name : link_names()) CHECK(parse_link(name).name == name);
}

TEST_CASE("a link that is none is refused, naming what is allowed") {
  for (const char* text : {"", "infiniband", "50us", "50us/", "50us/0GBps", "-1us/1GBps", "nanus/1GBps",
                           "1us/infGBps", "50us/0.1GBps ", "1us/1e300GBps", "50/0.1"}) {
    CAPTURE(text);
    CHECK_THROWS_AS(parse_link(text), UsageError);
  }
  try {
    parse_link("infiniband");
  } catch (const UsageError& error) {
    CHECK(std::string(error.what()).find("none, nvlink, pcie, 100g, ethernet") != std::string::npos);
  }
}

TEST_CASE("a link scaled in bytes and time, and read from the section that ran on it") {
  const LinkModel link = scaled(parse_link("100g"), 0.5, 10);
  CHECK(link.latency_s == Approx(50e-6));
  CHECK(link.bytes_per_s == Approx(12.5e9 / 20));
  const auto store = TraceStore::create("links");
  store->add_section("linked", link_attributes(link), 1);
  store->add_section("at memory speed", link_attributes({}), 1);
  const Trace trace = store->snapshot();
  CHECK(link_in(*trace.find("linked")).seconds(1, 1000) == Approx(link.seconds(1, 1000)));
  CHECK_FALSE(link_in(*trace.find("at memory speed")).simulated());
}

TEST_CASE("every rank waits at least as long as the link needs") {
  ThreadGroupOptions options;
  options.link = parse_link("1000us/0.01GBps");
  constexpr int64_t kCount = 30000;  // float32, divisible by 3
  on_ranks(3, options, [&](ProcessGroup& group) {
    const auto at_least = [&](int64_t hops, int64_t bytes, const auto& collective) {
      group.barrier({})->wait();
      const TimePoint start = SteadyClock::now();
      collective()->wait();
      if (seconds_since(start) < options.link.seconds(hops, bytes))
        throw std::runtime_error("the link was too fast");
    };
    TypedBuffer whole(Dtype::kFloat32, kCount), chunk(Dtype::kFloat32, kCount / 3);
    at_least(4, 4 * chunk.view().bytes(), [&] { return group.all_reduce(whole.view(), {}); });
    at_least(2, 2 * chunk.view().bytes(),
             [&] { return group.reduce_scatter(whole.view(), chunk.view(), {}); });
    at_least(2, 2 * chunk.view().bytes(), [&] { return group.all_gather(chunk.view(), whole.view(), {}); });
    at_least(1, 2 * whole.view().bytes(), [&] { return group.broadcast(whole.view(), 1, {}); });
    if (group.rank() == 0) at_least(1, chunk.view().bytes(), [&] { return group.send(chunk.view(), 1, {}); });
    if (group.rank() == 1) at_least(1, chunk.view().bytes(), [&] { return group.recv(chunk.view(), 0, {}); });
    if (group.rank() == 2) group.barrier({})->wait();
  });
}

TEST_CASE("an abort interrupts the wait for a link") {
  ThreadGroupOptions options;
  options.link = parse_link("1e6us/1GBps");  // one second a hop
  constexpr int kMany = 64;
  const auto handles = make_thread_group(kMany, options);
  const TimePoint start = SteadyClock::now();
  CHECK_THROWS_AS(run_ranks(
                      kMany,
                      [&](int rank) {
                        TypedBuffer buffer(Dtype::kFloat32, kMany);
                        const WorkPtr work = handles[rank]->all_reduce(buffer.view(), {});  // 126 hops
                        std::this_thread::sleep_for(std::chrono::milliseconds(50));
                        if (rank == 0) handles[rank]->abort("too slow");
                        work->wait();
                      },
                      [](int, const std::string&) {}),
                  PeerLostError);
  CHECK(seconds_since(start) < 60);
}
