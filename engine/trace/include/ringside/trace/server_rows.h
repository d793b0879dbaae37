// What a run of the parameter server leaves in its section (parameter_server/recording.h). A rank of the
// section is a node: workers, servers and the scheduler that were there at the start, in this order, then who
// came later. A rank ends when its node crashes, a worker's also when it is done.
//
//   messages   tag: the message's name ("push", "pulled", "forward", ...); first_key, keys: what it is about
//   spans      of a worker: "wait" for values, "compute"; step: its iteration
//   memory     of servers and workers, whenever it changes (parameter_server/cluster.h); a crash leaves 0
//   scalars    "loss" on rank 0, where the caller measures it; step: the iterations of all workers until then
//   rows       below
#pragma once

#include "ringside/trace/rows.h"

namespace ringside::inline trace {

// Attribute of a section that says it: how many iterations a worker may be ahead of the slowest; -1: any.
inline constexpr char kStaleness[] = "staleness";

// A node, recorded by itself as it comes.
struct ServerNode {
  static constexpr Columns kTable{"nodes", "role", "node", "number"};
  std::string role;    // "scheduler", "server" or "worker"
  int64_t node = 0;    // its number on the network: one life
  int64_t number = 0;  // of a server from 1; of a worker its rank
};

// Who holds a range from now on: each change of a chain, by the scheduler.
struct RangeChain {
  static constexpr Columns kTable{"chains", "range", "first key", "keys", "epoch", "nodes"};
  int64_t range = 0;      // its number
  int64_t first_key = 0;  // of the range
  int64_t keys = 0;       // of the range
  int64_t epoch = 0;      // rises with each change
  std::string nodes;      // "2 4 1", the head first: ranks of the section
};

// Workers that the others wait for from now on: each change, by the scheduler.
struct WaitedFor {
  static constexpr Columns kTable{"waited for", "workers"};
  std::string workers;  // "0 1 3": ranks of the section
};

// A range none of whose copies is left: it begins anew. By the scheduler.
struct LostRange {
  static constexpr Columns kTable{"lost ranges", "range", "epoch", "nodes"};
  int64_t range = 0;  // its number
  int64_t epoch = 0;  // that was lost
  std::string nodes;  // that held it: ranks of the section
};

// What the arrays of a server hold of values and optimizer state from now on, recorded by itself.
struct ServerHeld {
  static constexpr Columns kTable{"held", "own [bytes]", "copied [bytes]"};
  int64_t own = 0;     // of ranges that it owns
  int64_t copied = 0;  // of others
};

// A worker has the values for an iteration.
struct WorkerRead {
  static constexpr Columns kTable{"reads", "clock", "oldest", "staleness [iterations]", "waited [s]"};
  int64_t clock = 0;      // the worker's iteration, from 0
  int64_t oldest = 0;     // iterations of the slowest worker in what was read
  int64_t staleness = 0;  // iterations that the slowest is behind
  double waited = 0;      // from the question to the last value
};

// A worker has sent the gradients of an iteration: its clock is now one more.
struct WorkerPush {
  static constexpr Columns kTable{"pushes", "clock"};
  int64_t clock = 0;  // the iteration, from 0
};

// What a node has sent in all, by kind, recorded at the end of the run; also where no message is recorded.
struct SentByKind {
  static constexpr Columns kTable{
      "sent", "kind", "messages", "bytes [bytes]", "key bytes [bytes]", "value bytes [bytes]"};
  std::string kind;         // the message's name
  int64_t messages = 0;     // sent, also those that were lost
  int64_t bytes = 0;        // of whole frames
  int64_t key_bytes = 0;    // lists of keys and their signatures
  int64_t value_bytes = 0;  // as they were sent
};

}  // namespace ringside::inline trace
