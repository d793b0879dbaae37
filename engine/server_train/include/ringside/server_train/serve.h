// A training of the classifier on a parameter server, in this process: a scheduler, servers and workers are
// the ranks of a World, a thread each, and talk over endpoints between threads. Its section has their memory,
// messages, reads and clocks (trace/server_rows.h). Torch-free.
#pragma once

#include <chrono>

#include "ringside/server_train/served_classifier.h"

namespace ringside::inline server_train {

struct ServeOptions {
  uint32_t servers = 2, backups = 0, ranges = 4;  // ranges of each group of keys
  ps::Consistency consistency = ps::Consistency::kBsp;
  int64_t staleness = 0;
  ps::Filters filters = {};
  std::chrono::nanoseconds timeout = std::chrono::minutes(5);  // of the whole training
};

struct ServeResult {
  std::string parameters_sha256;
  double loss = 0, accuracy = 0;  // held-out, at the end
};

// config.ranks workers. UsageError for what a server cannot do (ServedClassifier);
// an error of code kTimeout.
ServeResult serve(const TrainerConfig& config, const Dataset& dataset, const ServeOptions& options,
                  TraceStore& store, const std::string& section);

}  // namespace ringside::inline server_train
