// What a message costs a node, measured: the nodes run as threads of this process for a moment, and each
// thread's processor time is laid on the packets and bytes that it handled. The simulator then predicts runs
// that were not used, and each prediction stands beside what was measured.
//
//   processor time of a node = (packets in + out) a + (bytes in + out) b      least squares of relative
//   errors one way between threads  = (an iteration - its processor times) / 2       of the smallest run
#pragma once

#include <vector>

#include "ringside/parameter_server/cluster.h"
#include "ringside/parameter_server/simulated_network.h"

namespace ringside::inline ps {

// A training of one server whose workers pull and push all keys, and wait `compute_ns` between.
struct CalibrationRun {
  uint32_t workers = 1;
  uint64_t keys = 64;
  int64_t compute_ns = 0;
  bool is_used = true;               // no: it is predicted alone
  double measured = 0;               // iterations a second, of all workers
  double predicted = 0;              // by the simulator
  double kept_waiting = 0;           // of the time in which a node's thread wanted a processor: others had it
  NodeUse server = {}, worker = {};  // measured; of all workers
  double error() const { return predicted / measured - 1; }
};

struct Calibration {
  Handling server = {}, worker = {};
  int64_t latency_ns = 0;
  std::vector<CalibrationRun> runs = {};
  double most_kept_waiting() const;  // of all runs
  double worst_error() const;        // the largest magnitude among the runs that were not used
};

// Takes about five times as long as one run.
Calibration calibrate(double seconds_of_a_run = 0.2);

}  // namespace ringside::inline ps
