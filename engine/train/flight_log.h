// The flight recorders of a run's ranks, and what a run that failed says of them.
#pragma once

#include <memory>
#include <set>
#include <string>
#include <vector>

#include "ringside/comm/errors.h"
#include "ringside/train/trainer.h"

namespace ringside {

class FlightLog {
 public:
  FlightLog(const TrainerHooks& hooks, int ranks);  // the caller's recorders, or its own
  const std::vector<FlightRecorder*>& recorders() const { return recorders_; }
  void leaves_no_dump(int rank);  // a killed rank

  std::string report() const;  // the dumps merged, as text
  // The same error, with the report behind its message.
  [[noreturn]] static void rethrow_with(const std::string& report, const CollectiveError& error);

 private:
  std::vector<std::unique_ptr<FlightRecorder>> own_;
  std::vector<FlightRecorder*> recorders_;  // (rank)
  std::mutex mutex_;
  std::set<int> gone_;
};

}  // namespace ringside
