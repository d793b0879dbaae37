// One simulation of a seed: what is drawn and goes wrong (chaos_plan.cpp), and what must be true (chaos.cpp).
#pragma once

#include <fmt/format.h>

#include "chaos.h"
#include "ringside/base/random.h"

namespace ringside::testing {

inline constexpr int64_t kMs = 1'000'000;
inline constexpr uint32_t kChaosRanges = 4, kSlots = 8;  // keys of a range: one for each worker there may be
inline constexpr int64_t kChaosClocks = 8;

class ChaosRun {
 public:
  explicit ChaosRun(const Chaos& chaos)
      : chaos_(chaos),
        random_(chaos.seed, "chaos", static_cast<uint64_t>(chaos.trouble)),
        cluster_(make_cluster()) {}

  ChaosResult run();

 private:
  ps::Cluster make_cluster();
  NetworkModel model();
  ps::WorkerTask task(NodeId worker, uint32_t rank);
  void plan();
  void plan_kills();
  void plan_moves();
  void plan_partitions();
  void plan_long_partition();
  void plan_scheduler();
  void plan_workers();
  void look_at(const NetworkEvent& event);
  void look_at_members(const std::vector<ps::Member>& members);
  void look_at_read(NodeId worker, int64_t clock, const ps::Client& client);
  void look_at_end();
  void wrong(const std::string& what) {
    if (result_.wrong.empty()) result_.wrong = what;
  }
  int64_t drawn(int64_t least, int64_t most) {
    return least + static_cast<int64_t>(random_.below(static_cast<uint64_t>(most - least + 1)));
  }
  bool one_in(uint64_t n) { return random_.below(n) == 0; }
  int64_t now_ns() const { return simulated_->network().now_ns(); }
  void say(const std::string& text) { result_.scenario += text + "; "; }

  const Chaos& chaos_;
  RandomStream random_;
  ChaosResult result_;
  ps::Cluster cluster_;
  std::unique_ptr<ps::SimulatedCluster> simulated_;
  std::map<NodeId, uint32_t> ranks_;                                     // of workers
  std::map<NodeId, std::vector<uint64_t>> acknowledged_, seen_at_pull_;  // by worker and range
  std::set<uint32_t> was_away_;                                          // ranks
  std::map<uint32_t, std::pair<uint64_t, NodeId>> last_ack_;             // by range: epoch, server
};

}  // namespace ringside::testing
