// Runs a test body on every rank of a thread_group.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "ringside/comm/launch.h"
#include "ringside/comm/thread_group.h"

namespace ringside::testing {

// body(group) on each rank; a rank that throws aborts the group, and the first error is rethrown.
inline void on_ranks(int size, const ThreadGroupOptions& options,
                     const std::function<void(ProcessGroup&)>& body) {
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
