#include "server_trial.h"

#include <algorithm>

#include "counting.h"
#include "processes.h"
#include "ringside/base/clock.h"
#include "ringside/base/own_folder.h"
#include "ringside/parameter_server/client.h"
#include "ringside/zeromq/endpoint.h"

namespace ringside {
namespace {

constexpr double kPatienceS = 60;  // what takes longer never comes
constexpr int64_t kTurnNs = 2'000'000;

// Reads and never pushes: nobody waits for it.
class Onlooker final : public Node {
 public:
  Onlooker(Endpoint& endpoint, const Cluster& cluster) : client_(endpoint, cluster, kRank) {}
  void receive(const Packet& packet) override { client_.receive(packet); }
  void tick() override { client_.tick(); }
  int64_t deadline_ns() const override { return client_.deadline_ns(); }
  Client& client() { return client_; }

 private:
  static constexpr uint32_t kRank = 1'000'001;  // no worker's
  Client client_;
};

class Run {
 public:
  explicit Run(const ServerTrialOptions& options)
      : options_(options),
        cluster_(counting_cluster(options.node)),
        ranges_(ranges_of(cluster_)),
        processes_(
            options.node, [this] { turn(); }, options.cancelled) {}

  // The scheduler is killed between two servers: the one that comes back has a death to notice.
  ServerTrial run() {
    const int64_t of = options_.kills + 5;
    int64_t done = 0;
    const auto at = [&](const char* what) { options_.at(what, done++, of); };
    try {
      at("starting");
      start();
      at("pushes over tcp");
      count_pushes();
      for (int64_t round = 0; round < options_.kills; ++round) {
        at("killing a server");
        kill_server(round);
        if (round == 0) {
          at("killing the scheduler");
          kill_scheduler();
          at("stopping a server");
          hold_server();
        }
      }
      wait_until_settled();
      compare_values();
      processes_.launcher().end_all();
      at("pushes between threads");
      trial_.inproc = train_on_threads(options_.node, options_.seconds, options_.cancelled);
    } catch (const CancelledError&) {
    } catch (const ProcessLostError& error) {
      // A worker that reads what cannot be says so, and ends.
      if (error.exit_code != int(ExitCode::kCheckFailed)) throw;
      throw Error(ExitCode::kCheckFailed, error.what());
    }
    return trial_;
  }

 private:
  void turn() {
    if (!onlooker_) {
      ::usleep(1000);
      return;
    }
    if (endpoint_->now_ns() >= onlooker_->deadline_ns()) onlooker_->tick();
    take_turn(*endpoint_, *onlooker_, endpoint_->now_ns() + kTurnNs);
  }

  bool all_workers(const std::function<bool(uint32_t rank)>& holds) const {
    for (uint32_t rank = 0; rank < cluster_.workers; ++rank)
      if (!holds(rank)) return false;
    return true;
  }

  int64_t sum_of(int64_t Processes::Member::*field) const {
    int64_t sum = 0;
    for (const size_t worker : processes_.workers()) sum += processes_.member(worker).*field;
    return sum;
  }

  // ---------------------------------------------------------------- the training

  // The onlooker comes last: it is no member that others wait for.
  void start() {
    processes_.start_scheduler((folder_.path / "table").string());
    for (uint32_t i = 0; i < cluster_.servers; ++i) processes_.start_server();
    for (uint32_t rank = 0; rank < cluster_.workers; ++rank) processes_.start_worker(rank);
    processes_.wait_for("all workers to begin", kPatienceS,
                        [&] { return all_workers([&](uint32_t rank) { return acknowledged(rank) > 0; }); });
    endpoint_ = std::make_unique<ZeromqEndpoint>(
        context_, ZeromqOptions{.world = cluster_.world, .scheduler = processes_.scheduler_address()});
    onlooker_ = std::make_unique<Onlooker>(*endpoint_, cluster_);
    wait_until_settled();
  }

  void wait_until_settled() {
    processes_.wait_for("the ranges to settle", kPatienceS, [&] {
      const Client& client = onlooker_->client();
      return processes_.is_settled() && client.membership() &&
             int64_t(client.table().version) >= processes_.scheduling().table;
    });
  }

  std::vector<float> read(const std::vector<uint64_t>& keys) {
    onlooker_->client().pull(kNoClock, keys);
    processes_.wait_for("a pull", kPatienceS, [&] { return !onlooker_->client().pulling(); });
    return onlooker_->client().values();
  }

  void count_pushes() {
    const auto count = [&]() -> Counted {
      return {sum_of(&Processes::Member::acknowledged),
              sum_of(&Processes::Member::sent) + sum_of(&Processes::Member::received)};
    };
    trial_.tcp = throughput_of(cluster_.ranges, count,
                               [&] { processes_.wait(options_.seconds, [] { return false; }); });
  }

  // ---------------------------------------------------------------- kills

  std::vector<uint64_t> a_key_of_each_worker(const KeyRange& range) const {
    std::vector<uint64_t> keys;
    for (uint64_t key = range.begin; key < std::min(range.begin + cluster_.workers, range.end); ++key)
      keys.push_back(key);
    return keys;
  }

  // ms from the signal to the first answer to a pull that was sent after it, from a range whose head it is.
  double first_pull_ms(const KeyRange& range, const std::function<void(size_t server)>& signal) {
    wait_until_settled();
    const NodeId head = onlooker_->client().table().chains[range.id].nodes.front();
    const std::vector<uint64_t> keys = a_key_of_each_worker(range);
    std::vector<int64_t> least;
    for (const uint64_t key : keys) least.push_back(acknowledged(uint32_t(key % cluster_.workers)));
    const int64_t start = now_ns();
    signal(processes_.server_of(head));
    const std::vector<float> values = read(keys);
    for (size_t i = 0; i < keys.size(); ++i) trial_.old_reads += int64_t(values[i]) < least[i];
    return double(now_ns() - start) * 1e-6;
  }

  void kill_server(int64_t round) {
    const KeyRange& range = ranges_[size_t(round) % ranges_.size()];
    trial_.first_pull_ms.push_back(
        first_pull_ms(range, [&](size_t server) { processes_.launcher().kill(server); }));
    wait_until_counted(processes_.running_servers());
    processes_.start_server();
  }

  // It wakes up, and takes itself for the head: its lease has ended.
  void hold_server() {
    size_t held = 0;
    trial_.still_ms = first_pull_ms(ranges_.front(), [&](size_t server) {
      held = server;
      processes_.launcher().stand_still(server);
    });
    wait_until_counted(processes_.running_servers() - 1);
    processes_.launcher().go_on(held);
  }

  void wait_until_counted(int64_t servers) {
    processes_.wait_for("the scheduler to miss a server", kPatienceS,
                        [&] { return processes_.scheduling().servers == servers; });
  }

  void kill_scheduler() {
    wait_until_settled();
    processes_.forget_pauses();
    const int64_t start = now_ns();
    processes_.launcher().kill(processes_.scheduler());
    processes_.start_scheduler((folder_.path / "table").string());
    trial_.scheduler_away_ms = (now_ns() - start) / 1'000'000;
    // Beyond the leases that the one before gave.
    std::vector<int64_t> before;
    processes_.wait(2 * double(cluster_.timing.dead_ns) * 1e-9, [] { return false; });
    for (uint32_t rank = 0; rank < cluster_.workers; ++rank) before.push_back(acknowledged(rank));
    trial_.went_on = processes_.wait(kPatienceS, [&] {
      return all_workers([&](uint32_t rank) { return acknowledged(rank) > before[rank]; });
    });
    for (const size_t worker : processes_.workers())
      trial_.longest_pause_ms =
          std::max(trial_.longest_pause_ms, processes_.member(worker).longest_pause_ns / 1'000'000);
  }

  // ---------------------------------------------------------------- the end

  // Workers stop once nothing is on its way: each value is then its worker's acknowledged pushes.
  void compare_values() {
    for (const size_t worker : processes_.workers()) {
      processes_.launcher().let_go(worker);
      processes_.launcher().say(worker, "stop");
    }
    processes_.wait_for("the workers to stop", kPatienceS, [&] {
      return all_workers([&](uint32_t rank) { return processes_.member(processes_.workers()[rank]).ended; });
    });
    const std::vector<float> values = read({});
    for (uint64_t key = 0; key < values.size(); ++key) {
      const int64_t pushed = acknowledged(uint32_t(key % cluster_.workers));
      const auto held = int64_t(values[key]);
      trial_.lost += std::max<int64_t>(pushed - held, 0);
      trial_.twice += std::max<int64_t>(held - pushed, 0);
    }
    trial_.acknowledged = sum_of(&Processes::Member::acknowledged) * std::ssize(ranges_);
    trial_.ranges_lost = processes_.scheduling().lost;
  }

  int64_t acknowledged(uint32_t rank) const {
    return processes_.member(processes_.workers()[rank]).acknowledged;
  }

  const ServerTrialOptions& options_;
  const Cluster cluster_;
  const std::vector<KeyRange> ranges_;
  const OwnFolder folder_{"ringside-server"};  // for the scheduler's table
  ServerTrial trial_ = {};
  const ZeromqContext context_ = {};
  std::unique_ptr<ZeromqEndpoint> endpoint_ = {};
  std::unique_ptr<Onlooker> onlooker_ = {};
  Processes processes_;
};

}  // namespace

ServerTrial run_server_trial(const ServerTrialOptions& options) { return Run(options).run(); }

}  // namespace ringside
