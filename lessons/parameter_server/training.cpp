// The scenario's training on simulated nodes, recorded as it runs.
#include "parts.h"
#include "ringside/lesson/section_title.h"
#include "ringside/parameter_server/recording.h"

namespace ringside::parameter_server_lesson {
namespace {

using namespace ps;

constexpr int64_t kLook = 50'000'000,
                  kEnd = 3'600'000'000'000;  // ns: between two looks; nothing takes longer

// "server1,worker2" as numbers of nodes; none: "none".
std::vector<NodeId> nodes_of(const std::string& kill) {
  std::vector<NodeId> nodes;
  std::istringstream words(kill);
  for (std::string word; kill != "none" && std::getline(words, word, ',');) {
    const bool is_worker = word.starts_with("worker"), is_server = word.starts_with("server");
    const std::string number = word.substr(std::min<size_t>(6, word.size()));
    const bool is_number =
        !number.empty() && number.size() <= 2 && number.find_first_not_of("0123456789") == std::string::npos;
    if (!(is_worker || is_server) || !is_number)
      throw UsageError(
          tr("kill={}: nodes are wanted, such as server1, server1,server2 or worker3, or none", kill));
    nodes.push_back((is_worker ? kFirstWorker : 0) + static_cast<NodeId>(std::stoi(number)));
  }
  return nodes;
}

class Training {
 public:
  Training(const Config& config, const std::string& section, const RunContext& context)
      : config_(config),
        context_(context),
        samples_(samples_of(config)),
        speeds_(speeds_of(config, config.text("straggler"))),
        recording_({.store = &context.store, .section = section, .attributes = attributes(section)}),
        cluster_(recording_.observed(cluster_of(config)), {.loss = config.real("loss") / 100}, speeds_.seed,
                 [this](NodeId, uint32_t rank) { return task(rank); }) {}

  void run() {
    recording_.attach(cluster_);
    plan_changes();
    SimulatedNetwork& network = cluster_.network();
    for (bool over = false; !over;) {
      context_.control.pass_step();
      over = network.run(network.now_ns() + kLook, [this] { return all_done(); });
      if (network.now_ns() > kEnd) throw InvariantError("a simulated training has no end");
      if (const auto values = cluster_.values()) recording_.loss(logistic_loss(*samples_, *values));
    }
    recording_.finish();
  }

 private:
  Attributes attributes(const std::string& section) const {
    const int64_t staleness = staleness_of(config_);
    return {
        {kWorkers, config_.integer("workers")},
        {kStaleness, staleness},
        {kSectionTitle, tr("{}: {}, copies {}", section, name_of_rule(staleness), config_.text("copies"))}};
  }

  WorkerTask task(uint32_t rank) {
    WorkerTask task = logistic_task(samples_, rank, speeds_.workers, speeds_.batch, config_.integer("steps"));
    task.compute_ns = [this, rank](int64_t clock) { return iteration_ns(speeds_, rank, clock); };
    return task;
  }

  // Who is killed goes after a third of the least time that the training takes; who joins comes after half.
  void plan_changes() {
    const auto least_ns = config_.integer("steps") * speeds_.compute_ns;
    const std::string &kill = config_.text("kill"), &add = config_.text("add");
    const std::vector<NodeId> killed = nodes_of(kill);
    int64_t servers = config_.integer("servers");
    for (const NodeId id : killed) {
      if (!cluster_.network().is_up(id)) throw UsageError(tr("kill={}: the scenario has no such node", kill));
      servers -= id < kFirstWorker ? 1 : 0;
    }
    if (servers == 0) throw UsageError(tr("kill={}: one server must live", kill));
    cluster_.network().at(least_ns / 3, [this, killed] {
      for (const NodeId id : killed) cluster_.network().crash(id);
    });
    if (add == "server") cluster_.network().at(least_ns / 2, [this] { cluster_.add_server(); });
    // It takes over the samples of a worker that was killed, or of the first.
    const uint32_t rank = killed.empty() || killed[0] < kFirstWorker ? 0 : killed[0] - kFirstWorker;
    if (add == "worker") cluster_.network().at(least_ns / 2, [this, rank] { cluster_.add_worker(rank); });
  }

  bool all_done() {
    const std::vector<NodeId> workers = cluster_.workers();
    return std::ranges::all_of(workers, [this](NodeId id) { return cluster_.worker(id)->is_done(); });
  }

  const Config& config_;
  const RunContext& context_;
  std::shared_ptr<const Samples> samples_;
  StragglerConfig speeds_;
  Recording recording_;
  SimulatedCluster cluster_;
};

}  // namespace

void check_nodes(const std::string& kill) { nodes_of(kill); }

void add_training(const Config& config, const std::string& section, const RunContext& context, Jobs& jobs) {
  jobs.push_back({section, [=, &context] { Training(config, section, context).run(); }});
}

}  // namespace ringside::parameter_server_lesson
