#include "threads.h"

#include <algorithm>
#include <atomic>
#include <thread>

#include "counting.h"
#include "ringside/base/clock.h"
#include "ringside/base/error.h"
#include "ringside/comm/launch.h"
#include "ringside/parameter_server/scheduler.h"
#include "ringside/zeromq/endpoint.h"

namespace ringside {
namespace {

constexpr int64_t kThreadLookNs = 10'000'000;

struct WorkerCounts {  // by its thread, for ours
  std::atomic<int64_t> acknowledged{0}, bytes{0};
};

void train_one(ZeromqEndpoint& endpoint, const Cluster& cluster, uint32_t rank, const std::atomic<bool>& over,
               WorkerCounts& counted) {
  Counting counting(cluster, rank, 0);
  Worker node(endpoint, cluster, rank, counting.task());
  run_node(endpoint, node, kThreadLookNs, [&] {
    counted.acknowledged = counting.acknowledged(node.client());
    counted.bytes = endpoint.counts().sent_bytes + endpoint.counts().received_bytes;
    return !over;
  });
  if (!counting.wrong().empty()) throw Error(ExitCode::kCheckFailed, counting.wrong());
}

}  // namespace

Throughput throughput_of(uint32_t ranges, const std::function<Counted()>& count,
                         const std::function<void()>& wait) {
  const int64_t start = now_ns();
  const Counted before = count();
  wait();
  const Counted after = count();
  return {.seconds = double(now_ns() - start) * 1e-9,
          .pushes = (after.acknowledged - before.acknowledged) * ranges,
          .bytes = after.bytes - before.bytes};
}

Throughput train_on_threads(const PsNodeOptions& options, double seconds,
                            const std::function<bool()>& cancelled) {
  const Cluster cluster = counting_cluster(options);
  const ZeromqContext context;
  std::vector<WorkerCounts> counted(options.workers);
  ZeromqEndpoint scheduler(context, {.world = cluster.world, .listen = "inproc://scheduler"});
  std::atomic<bool> over{false};
  const auto goes_on = [&] { return !over; };
  const auto wait = [&](double most, const std::function<bool()>& done) {
    const int64_t end = now_ns() + int64_t(most * 1e9);
    while (!done() && !over && now_ns() < end) {
      if (cancelled()) throw CancelledError();
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    return done();
  };
  const auto has_begun = [](const WorkerCounts& one) { return one.acknowledged > 0; };
  const auto count = [&] {
    Counted all;
    for (const WorkerCounts& one : counted) all.acknowledged += one.acknowledged, all.bytes += one.bytes;
    return all;
  };
  Throughput result;
  const auto measure = [&] {
    if (!wait(60, [&] { return std::ranges::all_of(counted, has_begun); }) && !over)
      throw Error(ExitCode::kTimeout, "waited 60 s for workers on threads to begin");
    result = throughput_of(options.ranges, count, [&] { wait(seconds, [] { return false; }); });
    over = true;
  };
  const auto run_scheduler = [&] {
    Scheduler node(scheduler, cluster);
    run_node(scheduler, node, kThreadLookNs, goes_on);
  };
  const auto run_other = [&](uint32_t place) {
    ZeromqEndpoint endpoint(context, {.world = cluster.world,
                                      .listen = "inproc://" + std::to_string(place),
                                      .scheduler = scheduler.address()});
    if (place < options.workers) return train_one(endpoint, cluster, place, over, counted[place]);
    Server node(endpoint, cluster);
    run_node(endpoint, node, kThreadLookNs, goes_on);
  };
  // The workers, the servers, the scheduler, and who measures: they end together.
  const auto others = int(options.workers + options.servers);
  const auto run_place = [&](int place) {
    if (place < others) return run_other(uint32_t(place));
    return place == others ? run_scheduler() : measure();
  };
  run_ranks(others + 2, run_place, [&](int, const std::string&) { over = true; });
  return result;
}

}  // namespace ringside
