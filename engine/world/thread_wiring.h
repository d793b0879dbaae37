// The groups of ranks that are threads of one process.
#pragma once

#include <map>
#include <mutex>
#include <utility>
#include <vector>

#include "ringside/comm/thread_transport.h"
#include "ringside/world/world.h"

namespace ringside {

class ThreadWiring final : public Wiring {
 public:
  explicit ThreadWiring(std::vector<FlightRecorder*> flights) : flights_(std::move(flights)) {}
  std::unique_ptr<Transport> connect(const std::string& name, const std::vector<int>& ranks,
                                     int place) override;
  void abort(int rank, const Failure& failure) override;
  void look_for_cycle() override;

 private:
  using Key = std::pair<std::string, std::vector<int>>;
  const std::vector<FlightRecorder*> flights_;  // (rank)
  std::mutex mutex_;                            // guards what follows
  std::map<Key, std::shared_ptr<Rendezvous>> groups_;
  std::map<int, Failure> aborted_;  // by rank
};

}  // namespace ringside
