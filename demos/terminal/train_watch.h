// What a training tells while it runs: to the terminal, and to the files of its folder.
#pragma once

#include <mutex>
#include <string>
#include <vector>

#include "metrics_log.h"
#include "ringside/base/clock.h"
#include "train_setup.h"

namespace ringside {

// Written by rank 0's thread, read by the one that draws.
class TrainWatch {
 public:
  explicit TrainWatch(const TrainSetup& setup) : setup_(setup) {}

  // Before the first step, on rank 0's thread. Not on a rank that does not speak, which hears what rank 0
  // hears.
  void write_to(MetricsLog& log) { log_ = &log; }
  void step(const StepMetrics& metrics);
  void evaluation(int64_t steps, const Confusion& counts, double loss);

  // "step 120 of 400   1,234 samples/s   loss 1.234   72.0 % of 512 right   12 s left"
  std::string line() const;
  // "step 50 of 400   loss 1.4112   held out 1.2034, 72.0 % right   12 s left", one an evaluation; of those
  // that were not taken yet.
  std::vector<std::string> take_news();

  struct Seen {
    int64_t steps = -1;
    Confusion counts;
    double loss = 0;
  };
  Seen newest() const;
  double samples_per_second() const;
  int64_t steps() const;  // that were taken

 private:
  double rate() const;  // samples a second
  std::string time_left() const;

  const TrainSetup& setup_;
  MetricsLog* log_ = nullptr;
  mutable std::mutex mutex_;
  StepMetrics last_;
  int64_t done_ = 0, first_ = -1;
  TimePoint began_{}, latest_{};
  Seen seen_;
  std::vector<std::string> news_;
};

}  // namespace ringside
