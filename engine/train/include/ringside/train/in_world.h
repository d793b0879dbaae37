// A section of a trace without the Trainer: what ranks do is a function on each, a thread a rank. Their
// memory is on record, and what they send stands in the ledger.
#pragma once

#include <chrono>
#include <functional>
#include <string>

#include "ringside/base/run_control.h"
#include "ringside/planner/run_rows.h"
#include "ringside/world/world.h"

namespace ringside::inline nn {
struct ParameterSet;
}
namespace ringside::inline data_parallel {
class Strategy;
}

namespace ringside::inline training {

struct RanksSection {
  int ranks = 1;
  std::function<void(World&)> body;             // of each rank, which computes on one thread
  std::function<void(RankRows&)> predict = {};  // what a rank sends; null: the section has no ledger
  std::chrono::nanoseconds timeout = std::chrono::seconds(60);  // of a collective
  LinkModel link = {};                                          // of the ranks; the section says it
  Attributes attributes = {};                                   // of the section, besides
};
// Adds the section to the store, runs it, and adds its ledger to `rows`, which the store is given. The error
// of a collective (comm/errors.h) is passed on, and the section has kBroke; CancelledError where `control`
// was cancelled.
void run_and_book(const RanksSection& section, const std::string& name, RunControl& control,
                  TraceStore& store, TraceRows& rows);

// Data parallelism in fp32 over the group "dp" of all ranks, without shards and without clipping, in buckets
// of so many elements. The World keeps it. optimizer: a name of make_optimizer()'s; "sgd" has neither
// momentum nor decay.
Strategy& plain_data_parallel(World& world, ParameterSet& parameters, const std::string& optimizer,
                              int64_t bucket_elements);

}  // namespace ringside::inline training
