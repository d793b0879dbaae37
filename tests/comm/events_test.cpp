// What a call leaves in the trace.
#include <catch.h>

#include "on_ranks.h"
#include "typed_buffer.h"

using namespace ringside;
using namespace ringside::testing;

TEST_CASE("a collective is scheduled, started and completed, in this order of time") {
  RecordedRun run(2);
  on_ranks(2, run.options, [](ProcessGroup& group) {
    TypedBuffer buffer(Dtype::kBFloat16, 10);
    group.all_reduce(buffer.view(), {"gradients", "bucket 3"})->wait();
  });
  const Trace trace = run.store->snapshot();
  for (const int rank : {0, 1}) {
    const auto events = trace.find("test")->collectives(rank);
    REQUIRE(events.size() == 3);
    CHECK(events[0].state == CollectiveState::kScheduled);
    CHECK(events[1].state == CollectiveState::kStarted);
    const CollectiveEvent& last = events[2];
    CHECK(last.state == CollectiveState::kCompleted);
    CHECK(trace.name(last.group) == "dp");
    CHECK(trace.name(last.tag) == "gradients");
    CHECK(trace.name(last.unit) == "bucket 3");
    CHECK(last.rank == rank);
    CHECK(last.op == Op::kAllReduce);
    CHECK(last.dtype == Dtype::kBFloat16);
    CHECK(last.elements == 10);
    CHECK(last.bytes_in == 20);
    CHECK(last.bytes_sent == 20);
    CHECK(last.peer == -1);
    CHECK(last.time_created_ns <= last.time_started_ns);
    CHECK(last.time_started_ns <= last.time_completed_ns);
    CHECK(events[0].bytes_sent == 0);
  }
}

TEST_CASE("calls are numbered: collectives per group, messages per pair") {
  RecordedRun run(2);
  on_ranks(2, run.options, [](ProcessGroup& group) {
    TypedBuffer buffer(Dtype::kInt64, 4);
    group.barrier({})->wait();
    group.broadcast(buffer.view(), 1, {})->wait();
    for (int i = 0; i < 2; ++i)
      (group.rank() == 0 ? group.send(buffer.view(), 1, {}) : group.recv(buffer.view(), 0, {}))->wait();
  });
  for (const int rank : {0, 1}) {
    const auto events = run.completed(rank);
    REQUIRE(events.size() == 4);
    for (size_t i = 0; i < 4; ++i) CHECK(events[i].collective_seq_id == std::vector<int64_t>{0, 1, 0, 1}[i]);
    CHECK(events[1].peer == 1);  // the root
    CHECK(events[2].op == (rank == 0 ? Op::kSend : Op::kRecv));
    CHECK(events[2].peer == 1 - rank);
    CHECK(events[2].bytes_sent == (rank == 0 ? 32 : 0));
  }
}

TEST_CASE("a failed call is recorded as failed, with no bytes") {
  RecordedRun run(2);
  run.options.timeout = std::chrono::milliseconds(50);
  CHECK_THROWS(on_ranks(2, run.options, [](ProcessGroup& group) {
    if (group.rank() == 0) group.barrier({})->wait();
  }));
  const auto trace = run.store->snapshot();
  const auto events = trace.find("test")->collectives(0);
  REQUIRE(events.size() == 3);
  CHECK(events.back().state == CollectiveState::kFailed);
  CHECK(events.back().bytes_sent == 0);
  CHECK(events.back().time_completed_ns > 0);
}
