// The nodes of the simulation, each on a thread with an endpoint of its own: the same bits.
#include <catch.h>

#include "../parameter_server/toy_training.h"
#include "patience.h"
#include "ringside/zeromq/endpoint.h"

using namespace ringside;
using namespace ringside::testing;

namespace {

constexpr uint64_t kKeys = 53;
constexpr int64_t kClocks = 20;

// Trains, and returns what a worker that joined then reads.
std::vector<float> train_on_threads(const Cluster& cluster, bool tcp) {
  const ZeromqContext context;
  const auto listen = [&](const std::string& name) {
    return tcp ? std::string("tcp://127.0.0.1:*") : "inproc://" + name;
  };
  std::atomic<bool> ends{false};
  std::atomic<uint32_t> done{0};
  ZeromqEndpoint scheduler_end(context, {.world = cluster.world, .listen = listen("scheduler")});
  const std::string scheduler = scheduler_end.address();
  const auto goes_on = [&] { return !ends; };
  constexpr int64_t kLook = 10'000'000;
  std::vector<std::thread> threads;
  threads.emplace_back([&] {
    Scheduler node(scheduler_end, cluster);
    run_node(scheduler_end, node, kLook, goes_on);
  });
  for (uint32_t i = 0; i < cluster.servers; ++i)
    threads.emplace_back([&, i] {
      ZeromqEndpoint endpoint(context, {cluster.world, listen("server" + std::to_string(i)), scheduler});
      Server node(endpoint, cluster);
      run_node(endpoint, node, kLook, goes_on);
    });
  for (uint32_t rank = 0; rank < cluster.workers; ++rank)
    threads.emplace_back([&, rank] {
      ZeromqEndpoint endpoint(context, {cluster.world, listen("worker" + std::to_string(rank)), scheduler});
      WorkerTask task = toy_task(rank, kClocks, kKeys);
      task.compute_ns = [](int64_t) { return 0; };
      Worker node(endpoint, cluster, rank, task);
      bool counted = false;
      run_node(endpoint, node, kLook, [&] {
        if (!counted && node.is_done()) ++done, counted = true;
        return !ends;
      });
    });
  CHECK(eventually([&] { return done == cluster.workers; }));

  ZeromqEndpoint endpoint(context, {cluster.world, listen("reader"), scheduler});
  Client reader(endpoint, cluster, 99);
  const int64_t end = endpoint.now_ns() + std::chrono::nanoseconds(kPatience).count();
  const auto until = [&](const auto& holds) {
    while (!holds() && endpoint.now_ns() < end) {
      if (endpoint.now_ns() >= reader.deadline_ns()) reader.tick();
      if (const auto packet = endpoint.receive(endpoint.now_ns() + kLook)) reader.receive(*packet);
    }
  };
  until([&] { return reader.membership().has_value(); });
  reader.pull(-1);
  until([&] { return !reader.pulling(); });
  CHECK(!reader.pulling());
  ends = true;
  for (std::thread& thread : threads) thread.join();
  return reader.values();
}

}  // namespace

TEST_CASE("zeromq: a training on threads, over tcp and inproc, has the bits of synchronous SGD") {
  Cluster cluster = toy_cluster(3, 3, 1, kKeys);
  cluster.world = 5;
  cluster.timing.dead_ns = 60 * kSecond;  // nobody dies here, however slow the machine
  cluster.timing.lease_ns = 50 * kSecond;
  cluster.timing.give_up_ns = 60 * kSecond;
  for (const bool tcp : {true, false})
    CHECK(train_on_threads(cluster, tcp) == synchronous_sgd(cluster.groups[0], 3, kClocks));
}
