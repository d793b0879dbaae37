// Runs a test body on every rank of a group: threads, or, where start_ranks has started this program as one
// rank of many, this process's own rank.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "ringside/comm/launch.h"
#include "ringside/processes/join.h"
#include "thread_group.h"

namespace ringside::testing {

// What connects this process where it is one rank of many, sockets or Gloo; else null.
inline const std::shared_ptr<ProcessWiring>& own_process() {
  static const std::shared_ptr<ProcessWiring> process = join(resolve(own_environment()));
  return process;
}

// A run of more ranks than there are processes is left out.
inline void as_one_process(int size, GroupOptions options, const std::function<void(ProcessGroup&)>& body) {
  static int runs = 0;  // the same in every process: they run the same tests
  options.name += " " + std::to_string(runs++);
  const int rank = own_process()->rank();
  if (size > own_process()->size() || rank >= size) return;
  const std::vector<int> ranks = all_ranks(size);
  ObservedGroup group(options, ranks, rank, {}, own_process()->connect(options.name, ranks, rank));
  try {
    body(group);
    group.barrier({"the end", ""})->wait();
  } catch (const std::exception& error) {
    group.abort(error.what());
    throw;
  }
}

// body(group) on each rank; a rank that throws aborts the group, and the first error is rethrown.
inline void on_ranks(int size, const ThreadGroupOptions& options,
                     const std::function<void(ProcessGroup&)>& body) {
  if (own_process()) return as_one_process(size, options, body);
  const auto handles = make_thread_group(size, options);
  run_ranks(
      size, [&](int rank) { body(*handles[rank]); },
      [&](int rank, const std::string& reason) { handles[rank]->abort(reason); });
}

inline void on_ranks(int size, const std::function<void(ProcessGroup&)>& body) { on_ranks(size, {}, body); }

// A run that keeps its trace: recorders for one section, and the snapshot afterwards.
struct RecordedRun {
  std::shared_ptr<TraceStore> store = TraceStore::create("test");
  ThreadGroupOptions options;
  explicit RecordedRun(int size) { options.recorders = store->add_section("test", {}, size); }

  // The completed collectives of one rank, in order.
  std::vector<CollectiveEvent> completed(int rank) const {
    std::vector<CollectiveEvent> events;
    const Trace trace = store->snapshot();
    for (const CollectiveEvent& event : trace.find("test")->collectives(rank))
      if (event.state == CollectiveState::kCompleted) events.push_back(event);
    return events;
  }
  int64_t bytes_sent(int rank) const {
    int64_t bytes = 0;
    for (const CollectiveEvent& event : completed(rank)) bytes += event.bytes_sent;
    return bytes;
  }
};

}  // namespace ringside::testing
