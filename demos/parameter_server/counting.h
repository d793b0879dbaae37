// A training whose values tell what became of each push: key k belongs to the worker of rank k mod W, which
// adds 1 to each of its keys in every iteration. A value below the acknowledged pushes says that one was
// lost, a value above those that were made that one was applied twice.
#pragma once

#include <string>

#include "ps_options.h"
#include "ringside/parameter_server/worker.h"

namespace ringside {

// What the options say, and the world: a hash of the run's name and of all that must be the same for its
// nodes.
Cluster counting_cluster(const PsNodeOptions& options);

class Counting {
 public:
  Counting(const Cluster& cluster, uint32_t rank, int64_t clocks);  // 0: any number

  WorkerTask task();  // the Counting must outlive the worker
  // After each turn: what was acknowledged in all ranges, -1 before there is a client.
  int64_t acknowledged(const Client& client) const;
  const std::string& wrong() const { return wrong_; }  // the first read that cannot be; empty: none

 private:
  void look_at(int64_t clock, const Client& client);

  uint32_t rank_;
  int64_t clocks_;
  std::vector<uint64_t> keys_ = {};
  std::vector<KeyRange> ranges_;
  std::vector<int64_t> seen_;  // by range: acknowledged at the last read
  std::string wrong_ = {};
};

}  // namespace ringside
