#include "threads.h"

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <thread>

#include "counting.h"
#include "ringside/base/clock.h"
#include "ringside/base/error.h"
#include "ringside/parameter_server/scheduler.h"
#include "ringside/zeromq/endpoint.h"

namespace ringside::ps {
namespace {

constexpr int64_t kThreadLookNs = 10'000'000;

struct WorkerCounts {  // by its thread, for ours
  std::atomic<int64_t> acknowledged{0}, bytes{0};
};

// Threads that end together; the first error of any is thrown by end().
class Together {
 public:
  ~Together() { join(); }
  void start(std::function<void()> main) {
    threads_.emplace_back([this, main = std::move(main)] {
      try {
        main();
      } catch (...) {
        const std::lock_guard lock(mutex_);
        if (!error_) error_ = std::current_exception();
        ends_ = true;
      }
    });
  }
  bool ends() const { return ends_; }
  void end() {
    join();
    if (error_) std::rethrow_exception(error_);
  }

 private:
  void join() {
    ends_ = true;
    for (std::thread& thread : threads_)
      if (thread.joinable()) thread.join();
  }
  std::mutex mutex_;
  std::exception_ptr error_;
  std::atomic<bool> ends_{false};
  std::vector<std::thread> threads_;
};

void train_one(ZeromqEndpoint& endpoint, const Cluster& cluster, uint32_t rank, const Together& together,
               WorkerCounts& counted) {
  Counting counting(cluster, rank, 0);
  Worker node(endpoint, cluster, rank, counting.task());
  run_node(endpoint, node, kThreadLookNs, [&] {
    counted.acknowledged = counting.acknowledged(node.client());
    counted.bytes = endpoint.counts().sent_bytes + endpoint.counts().received_bytes;
    return !together.ends();
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
  return {.seconds = static_cast<double>(now_ns() - start) * 1e-9,
          .pushes = (after.acknowledged - before.acknowledged) * ranges,
          .bytes = after.bytes - before.bytes};
}

Throughput train_on_threads(const PsNodeOptions& options, double seconds,
                            const std::function<bool()>& cancelled) {
  const Cluster cluster = counting_cluster(options);
  const ZeromqContext context;
  std::vector<WorkerCounts> counted(options.workers);
  ZeromqEndpoint scheduler(context, {.world = cluster.world, .listen = "inproc://scheduler"});
  Together together;
  const auto end_of = [&](const std::string& name) {
    return ZeromqOptions{
        .world = cluster.world, .listen = "inproc://" + name, .scheduler = scheduler.address()};
  };
  const auto goes_on = [&] { return !together.ends(); };
  together.start([&] {
    Scheduler node(scheduler, cluster);
    run_node(scheduler, node, kThreadLookNs, goes_on);
  });
  for (uint32_t i = 0; i < options.servers; ++i)
    together.start([&, i] {
      ZeromqEndpoint endpoint(context, end_of("server" + std::to_string(i)));
      Server node(endpoint, cluster);
      run_node(endpoint, node, kThreadLookNs, goes_on);
    });
  for (uint32_t rank = 0; rank < options.workers; ++rank)
    together.start([&, rank] {
      ZeromqEndpoint endpoint(context, end_of("worker" + std::to_string(rank)));
      train_one(endpoint, cluster, rank, together, counted[rank]);
    });

  const auto wait = [&](double most, const std::function<bool()>& done) {
    const int64_t end = now_ns() + static_cast<int64_t>(most * 1e9);
    while (!done() && !together.ends() && now_ns() < end) {
      if (cancelled()) throw CancelledError();
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    return done();
  };
  const bool begun = wait(60, [&] {
    return std::all_of(counted.begin(), counted.end(),
                       [](const WorkerCounts& one) { return one.acknowledged > 0; });
  });
  if (!begun) {
    together.end();
    throw Error(ExitCode::kTimeout, "waited 60 s for workers on threads to begin");
  }
  const auto count = [&] {
    Counted all;
    for (const WorkerCounts& one : counted) all.acknowledged += one.acknowledged, all.bytes += one.bytes;
    return all;
  };
  const Throughput result =
      throughput_of(options.ranges, count, [&] { wait(seconds, [] { return false; }); });
  together.end();
  return result;
}

}  // namespace ringside::ps
