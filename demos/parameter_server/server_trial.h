// What `ringside bench server` does and finds: a parameter server of processes trains over tcp on loopback,
// its servers and its scheduler are killed, and every value is held against what was acknowledged.
#pragma once

#include <functional>
#include <vector>

#include "threads.h"

namespace ringside {

struct ServerTrialOptions {
  PsNodeOptions node;
  int64_t kills = 9;
  double seconds = 3;  // of pushes and pulls that are counted
  std::function<bool()> cancelled;
  std::function<void(const char* what, int64_t done, int64_t of)> at;  // for a progress line
};

struct ServerTrial {
  std::vector<double> first_pull_ms = {};  // of each kill: until a key of the server's range was read
  int64_t old_reads = 0;                   // of those, that lacked an acknowledged push
  double still_ms = 0;                     // the same of one that stood still, and came back later
  int64_t scheduler_away_ms = 0;           // from its death until it listened again
  int64_t longest_pause_ms = 0;            // between two iterations of a worker, then
  bool went_on = false;                    // each worker pushed after the scheduler was back
  Throughput tcp = {}, inproc = {};
  int64_t acknowledged = 0;     // pushes, of all workers and ranges, in the whole trial
  int64_t lost = 0, twice = 0;  // acknowledged pushes that a value lacks, or holds too often
  int64_t ranges_lost = 0;      // as the scheduler says
  bool is_right() const {
    return old_reads == 0 && went_on && acknowledged > 0 && lost == 0 && twice == 0 && ranges_lost == 0;
  }
};

// ProcessLostError; an Error of kTimeout for what never came.
ServerTrial run_server_trial(const ServerTrialOptions& options);

}  // namespace ringside
