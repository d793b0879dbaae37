// What a run of the parameter server leaves in its section (parameter_server/recording.h). A rank of the
// section is a node: workers, servers and the scheduler that were there at the start, in this order, then who
// came later. A rank ends when its node crashes, a worker's also when it is done.
//
//   messages   tag: the message's name ("push", "pulled", "forward", ...); first_key, keys: what it is about
//   spans      of a worker: "wait" for values, "compute"; step: its iteration
//   scalars    "loss" on rank 0, where the caller measures it; step: the iterations of all workers until then
//   rows       below
#pragma once

#include "ringside/trace/rows.h"

namespace ringside {

// A node, recorded by itself as it comes.
struct ServerNode {
  static constexpr char kTable[] = "nodes";
  std::string role;  // "scheduler", "server" or "worker"
  int64_t node = 0, number = 0;
};
void visit_fields(RowOf<ServerNode> auto& row, auto&& visit) {
  visit(Field{"role", "scheduler, server or worker"}, row.role);
  visit(Field{"node", "its number on the network: one life"}, row.node);
  visit(Field{"number", "of a server from 1; of a worker its rank"}, row.number);
}

// Who holds a range from now on: each change of a chain, by the scheduler.
struct RangeChain {
  static constexpr char kTable[] = "chains";
  int64_t range = 0, first_key = 0, keys = 0;
  int64_t epoch = 0;
  std::string nodes;  // "2 4 1", the head first: ranks of the section
};
void visit_fields(RowOf<RangeChain> auto& row, auto&& visit) {
  visit(Field{"range", "its number"}, row.range);
  visit(Field{"first key", "of the range"}, row.first_key);
  visit(Field{"keys", "of the range"}, row.keys);
  visit(Field{"epoch", "rises with each change"}, row.epoch);
  visit(Field{"nodes", "ranks of the section, the head first"}, row.nodes);
}

// A range none of whose copies is left: it begins anew. By the scheduler.
struct LostRange {
  static constexpr char kTable[] = "lost ranges";
  int64_t range = 0, epoch = 0;
  std::string nodes;
};
void visit_fields(RowOf<LostRange> auto& row, auto&& visit) {
  visit(Field{"range", "its number"}, row.range);
  visit(Field{"epoch", "that was lost"}, row.epoch);
  visit(Field{"nodes", "that held it: ranks of the section"}, row.nodes);
}

// A worker has the values for an iteration.
struct WorkerRead {
  static constexpr char kTable[] = "reads";
  int64_t clock = 0, oldest = 0, staleness = 0;
  double waited = 0;
};
void visit_fields(RowOf<WorkerRead> auto& row, auto&& visit) {
  visit(Field{"clock", "the worker's iteration, from 0"}, row.clock);
  visit(Field{"oldest", "iterations of the slowest worker in what was read"}, row.oldest);
  visit(Field{"staleness", "iterations that the slowest is behind", "iterations"}, row.staleness);
  visit(Field{"waited", "from the question to the last value", "s"}, row.waited);
}

// A worker has sent the gradients of an iteration: its clock is now one more.
struct WorkerPush {
  static constexpr char kTable[] = "pushes";
  int64_t clock = 0;
};
void visit_fields(RowOf<WorkerPush> auto& row, auto&& visit) {
  visit(Field{"clock", "the iteration, from 0"}, row.clock);
}

// What a node has sent in all, by kind, recorded at the end of the run; also where no message is recorded.
struct SentByKind {
  static constexpr char kTable[] = "sent";
  std::string kind;
  int64_t messages = 0, bytes = 0, key_bytes = 0, value_bytes = 0;
};
void visit_fields(RowOf<SentByKind> auto& row, auto&& visit) {
  visit(Field{"kind", "the message's name"}, row.kind);
  visit(Field{"messages", "sent, also those that were lost"}, row.messages);
  visit(Field{"bytes", "of whole frames", "bytes"}, row.bytes);
  visit(Field{"key bytes", "lists of keys and their signatures", "bytes"}, row.key_bytes);
  visit(Field{"value bytes", "as they were sent", "bytes"}, row.value_bytes);
}

}  // namespace ringside
