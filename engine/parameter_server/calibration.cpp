#include "ringside/parameter_server/calibration.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <condition_variable>
#include <deque>
#include <fstream>
#include <map>
#include <memory>
#include <mutex>
#include <numeric>
#include <thread>

#include "ringside/base/check.h"
#include "ringside/base/clock.h"
#include "ringside/base/error.h"
#include "ringside/base/median.h"
#include "ringside/parameter_server/simulated_cluster.h"

namespace ringside::inline ps {
namespace {

// How long this thread waited for a processor that others had; 0 where the system does not say.
int64_t processor_wait_ns() {
  std::ifstream file("/proc/thread-self/schedstat");  // time on a processor, waiting for one, slices
  int64_t ran = 0, waited = 0;
  return file >> ran >> waited ? waited : 0;
}

// Endpoints between the threads of a process: a queue each. Nothing is lost, doubled or overtaken; what is
// sent to a number before or after the life of its endpoint is lost. The network outlives them.
class ThreadNetwork {
 public:
  std::unique_ptr<Endpoint> connect(NodeId id) {  // of a number that nobody has
    auto inbox = std::make_shared<Inbox>();
    const std::lock_guard lock(mutex_);
    RINGSIDE_CHECK(inboxes_.emplace(id, inbox).second, "node " << id << " is there already");
    return std::make_unique<Place>(*this, id, std::move(inbox));
  }

 private:
  struct Inbox {
    std::mutex mutex;
    std::condition_variable changed;
    std::deque<Packet> packets;
  };

  class Place final : public Endpoint {
   public:
    Place(ThreadNetwork& network, NodeId id, std::shared_ptr<Inbox> inbox)
        : network_(network), id_(id), inbox_(std::move(inbox)) {}
    ~Place() override {
      const std::lock_guard lock(network_.mutex_);
      network_.inboxes_.erase(id_);
    }
    NodeId id() const override { return id_; }
    int64_t now_ns() const override { return ringside::now_ns(); }
    void send(NodeId to, Bytes packet) override {
      const std::shared_ptr<Inbox> inbox = network_.inbox_of(to);
      if (!inbox) return;
      {
        const std::lock_guard lock(inbox->mutex);
        inbox->packets.push_back({id_, std::move(packet)});
      }
      inbox->changed.notify_one();
    }
    std::optional<Packet> receive(int64_t deadline_ns) override {
      std::unique_lock lock(inbox_->mutex);
      const auto has_one = [&] { return !inbox_->packets.empty(); };
      if (deadline_ns == kNever)
        inbox_->changed.wait(lock, has_one);
      else if (!inbox_->changed.wait_until(lock, TimePoint(std::chrono::nanoseconds(deadline_ns)), has_one))
        return std::nullopt;
      Packet packet = std::move(inbox_->packets.front());
      inbox_->packets.pop_front();
      return packet;
    }

   private:
    ThreadNetwork& network_;
    NodeId id_;
    std::shared_ptr<Inbox> inbox_;
  };

  std::shared_ptr<Inbox> inbox_of(NodeId id) {  // null: nobody has the number
    const std::lock_guard lock(mutex_);
    const auto found = inboxes_.find(id);
    return found == inboxes_.end() ? nullptr : found->second;
  }

  std::mutex mutex_;
  std::map<NodeId, std::shared_ptr<Inbox>> inboxes_;
};

// When workers began their pushes.
class PushTimes final : public Observer {
 public:
  void pushes(const PushBegun& push) override {
    const std::lock_guard lock(mutex_);
    times_.push_back(push.time_ns);
  }
  int64_t pushes() {
    const std::lock_guard lock(mutex_);
    return std::ssize(times_);
  }

  // Iterations a second: the median over windows of `window` iterations, so that one long wait for the
  // processor does not decide.
  double per_s(int64_t window) {
    std::ranges::sort(times_);
    std::vector<double> rates;
    for (size_t i = 0; i + size_t(window) < times_.size(); ++i)
      rates.push_back(double(window) * 1e9 / double(times_[i + size_t(window)] - times_[i]));
    if (rates.empty()) throw ErrorOf<ExitCode::kTimeout>("calibration: too few iterations came through");
    return median(rates);
  }

 private:
  std::mutex mutex_;
  std::vector<int64_t> times_ = {};
};

constexpr double kMostSeconds = 60;  // of a run, on a machine that hardly comes to it

int64_t window_of(const CalibrationRun& run) { return 8 * int64_t{run.workers}; }

Cluster cluster_of(const CalibrationRun& run, PushTimes& times) {
  Cluster cluster{.groups = {{.end = run.keys,
                              .consistency = Consistency::kAsp,
                              .gradient_scale = 1.0F / float(run.workers)}},
                  .ranges = 1,
                  .backups = 0,
                  .workers = run.workers,
                  .observer = &times};
  // Nothing is lost, and a busy machine may keep a thread waiting.
  cluster.timing.lease_ns = 5'000'000'000;
  cluster.timing.dead_ns = 6'000'000'000;
  cluster.timing.resend_ns = 1'000'000'000;
  return cluster;
}

WorkerTask task_of(const CalibrationRun& run) {
  return {.clocks = int64_t{1} << 40,
          .gradient = [](int64_t, const std::vector<float>& values) { return values; },
          .compute_ns = [run](int64_t) { return run.compute_ns; }};
}

void add_to(NodeUse& sum, const NodeUse& use) {
  sum.packets_in += use.packets_in;
  sum.packets_out += use.packets_out;
  sum.bytes_in += use.bytes_in;
  sum.bytes_out += use.bytes_out;
  sum.processor_ns += use.processor_ns;
}

// ---------------------------------------------------------------- measured

void measure(CalibrationRun& run, double seconds) {
  PushTimes times;
  const Cluster cluster = cluster_of(run, times);
  ThreadNetwork network;
  std::atomic<bool> is_over = false;
  std::vector<NodeUse> uses(2 + run.workers);
  std::vector<int64_t> waits(uses.size());
  std::vector<std::thread> threads;
  const auto start = [&](size_t place, NodeId id, auto make) {
    const auto count = [&use = uses[place]](bool sent, NodeId, const Bytes& packet) {
      ++(sent ? use.packets_out : use.packets_in);
      (sent ? use.bytes_out : use.bytes_in) += std::ssize(packet);
    };
    threads.emplace_back(
        [&, place, make, endpoint = std::make_shared<SeenEndpoint>(network.connect(id), count)] {
          const std::unique_ptr<Node> node = make(*endpoint);
          run_node(*endpoint, *node, 10'000'000, [&] { return !is_over; });
          uses[place].processor_ns = int64_t(thread_cpu_ns());
          waits[place] = processor_wait_ns();
        });
  };
  start(0, kScheduler, [&](Endpoint& e) { return std::make_unique<Scheduler>(e, cluster); });
  start(1, kFirstServer, [&](Endpoint& e) { return std::make_unique<Server>(e, cluster); });
  for (uint32_t rank = 0; rank < run.workers; ++rank)
    start(2 + rank, kFirstWorker + rank,
          [&, rank](Endpoint& e) { return std::make_unique<Worker>(e, cluster, rank, task_of(run)); });
  const int64_t begin_ns = now_ns();
  const auto ran_s = [&] { return double(now_ns() - begin_ns) * 1e-9; };
  while (ran_s() < kMostSeconds && (ran_s() < seconds || times.pushes() < 4 * window_of(run)))
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  is_over = true;
  for (std::thread& thread : threads) thread.join();
  run.measured = times.per_s(window_of(run));
  run.server = uses[1];
  for (uint32_t rank = 0; rank < run.workers; ++rank) add_to(run.worker, uses[2 + rank]);
  const auto waited = double(std::accumulate(waits.begin(), waits.end(), int64_t{0}));
  run.kept_waiting = waited / (waited + double(run.server.processor_ns + run.worker.processor_ns));
}

// ---------------------------------------------------------------- fitted

// The costs a packet and a byte that explain these uses best, neither below 0.
Handling fit(const std::vector<NodeUse>& uses) {
  double pp = 0, pb = 0, bb = 0, p1 = 0, b1 = 0;  // sums of products, each use divided by its time
  for (const NodeUse& use : uses) {
    const auto time = double(use.processor_ns);
    const double packets = double(use.packets_in + use.packets_out) / time;
    const double bytes = double(use.bytes_in + use.bytes_out) / time;
    pp += packets * packets;
    pb += packets * bytes;
    bb += bytes * bytes;
    p1 += packets;
    b1 += bytes;
  }
  const double determinant = pp * bb - pb * pb;
  double a = (p1 * bb - b1 * pb) / determinant, b = (b1 * pp - p1 * pb) / determinant;
  if (a < 0) a = 0, b = b1 / bb;
  if (b < 0) b = 0, a = p1 / pp;
  return {.receive_ns = a, .send_ns = a, .byte_ns = b};
}

int64_t one_way_ns(const CalibrationRun& run) {
  const double iterations = double(run.server.packets_out) / 2;  // pushed and pulled
  const double busy = double(run.server.processor_ns + run.worker.processor_ns) / iterations;
  return std::max<int64_t>(0, int64_t((1e9 / run.measured - busy) / 2));
}

// ---------------------------------------------------------------- predicted

double predict(const Calibration& calibration, const CalibrationRun& run) {
  PushTimes times;
  SimulatedCluster cluster(
      cluster_of(run, times),
      {.least_delay_ns = calibration.latency_ns, .most_delay_ns = calibration.latency_ns}, 1,
      [&](NodeId, uint32_t) { return task_of(run); });
  SimulatedNetwork& network = cluster.network();
  network.set_handling(kFirstServer, calibration.server);
  for (const NodeId worker : cluster.workers()) network.set_handling(worker, calibration.worker);
  network.run(60'000'000'000, [&] { return times.pushes() >= 100 * run.workers; });
  return times.per_s(window_of(run));
}

}  // namespace

double Calibration::worst_error() const {
  double worst = 0;
  for (const CalibrationRun& run : runs)
    if (!run.is_used) worst = std::max(worst, std::abs(run.error()));
  return worst;
}

double Calibration::most_kept_waiting() const {
  return std::ranges::max(runs, {}, &CalibrationRun::kept_waiting).kept_waiting;
}

Calibration calibrate(double seconds_of_a_run) {
  Calibration result;
  result.runs = {{.keys = 64},
                 {.keys = 1 << 12},
                 {.keys = 1 << 16},
                 {.keys = 1 << 14, .is_used = false},
                 {.workers = 3, .keys = 1 << 12, .compute_ns = 500'000, .is_used = false}};
  std::vector<NodeUse> servers, workers;
  for (CalibrationRun& run : result.runs) {
    measure(run, seconds_of_a_run);
    if (!run.is_used) continue;
    servers.push_back(run.server);
    workers.push_back(run.worker);
  }
  result.server = fit(servers);
  result.worker = fit(workers);
  result.latency_ns = one_way_ns(result.runs.front());
  for (CalibrationRun& run : result.runs) run.predicted = predict(result, run);
  return result;
}

}  // namespace ringside::inline ps
