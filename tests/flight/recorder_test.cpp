#include <atomic>
#include <thread>
#include <vector>

#include "catch.h"
#include "ringside/base/error.h"
#include "ringside/flight/recorder.h"

using namespace ringside;

namespace {

FlightEntry call(int64_t seq) {
  FlightEntry entry;
  entry.group = "dp";
  entry.collective_seq_id = seq;
  return entry;
}

}  // namespace

TEST_CASE("a recorder keeps what a call came to") {
  FlightRecorder recorder(2);
  recorder.join({"dp", "data parallel", {0, 1, 2}});
  CHECK(recorder.scheduled(call(0)) == 0);
  CHECK(recorder.scheduled(call(1)) == 1);
  CHECK(recorder.scheduled(call(2)) == 2);
  recorder.update(0, CollectiveState::kStarted, 10);
  recorder.update(0, CollectiveState::kCompleted, 20);
  recorder.update(1, CollectiveState::kStarted, 30);
  recorder.update(1, CollectiveState::kFailed, 40);
  const FlightDump dump = recorder.dump();
  CHECK(dump.rank == 2);
  CHECK(dump.forgotten == 0);
  CHECK(dump.time_ns > 0);
  REQUIRE(dump.groups.size() == 1);
  CHECK(dump.groups[0].ranks == std::vector<int>{0, 1, 2});
  REQUIRE(dump.entries.size() == 3);
  CHECK(dump.entries[0].state == CollectiveState::kCompleted);
  CHECK(dump.entries[0].time_discovered_started_ns == 10);
  CHECK(dump.entries[0].time_discovered_completed_ns == 20);
  CHECK(dump.entries[0].retired);
  CHECK(dump.entries[1].state == CollectiveState::kStarted);
  CHECK(dump.entries[1].retired);
  CHECK(dump.entries[2].state == CollectiveState::kScheduled);
  CHECK_FALSE(dump.entries[2].retired);
}

TEST_CASE("a full ring overwrites the oldest, and late news of it is ignored") {
  FlightRecorder recorder(0, 3);
  for (int64_t seq = 0; seq < 5; ++seq) recorder.scheduled(call(seq));
  recorder.update(1, CollectiveState::kCompleted, 7);  // overwritten by record 4
  recorder.update(0, CollectiveState::kStarted, 7);    // by record 3
  recorder.update(1, CollectiveState::kFailed, 40);
  recorder.update(5, CollectiveState::kCompleted, 7);  // never was
  recorder.update(-1, CollectiveState::kFailed, 40);
  const FlightDump dump = recorder.dump();
  CHECK(dump.forgotten == 2);
  REQUIRE(dump.entries.size() == 3);
  for (size_t i = 0; i < 3; ++i) {
    CHECK(dump.entries[i].record_id == static_cast<int64_t>(i) + 2);
    CHECK(dump.entries[i].collective_seq_id == static_cast<int64_t>(i) + 2);
    CHECK(dump.entries[i].state == CollectiveState::kScheduled);
    CHECK_FALSE(dump.entries[i].retired);
  }
}

TEST_CASE("news of a call that was never made is ignored") {
  FlightRecorder recorder(0, 4);
  recorder.update(0, CollectiveState::kStarted, 1);
  recorder.update(3, CollectiveState::kCompleted, 1);
  recorder.update(2, CollectiveState::kFailed, 40);
  CHECK(recorder.dump().entries.empty());
  CHECK_THROWS_AS(FlightRecorder(0, 0), InvariantError);
}

TEST_CASE("a frozen recorder takes no calls but still hears what becomes of those it has") {
  FlightRecorder recorder(0);
  recorder.scheduled(call(0));
  recorder.freeze(FlightBreak{"dp", "timeout", {2}, "rank 2 did not come"});
  const int64_t frozen = recorder.dump().time_ns;
  CHECK(recorder.scheduled(call(1)) == -1);
  recorder.update(-1, CollectiveState::kCompleted, 5);
  recorder.update(0, CollectiveState::kCompleted, 5);
  recorder.freeze(FlightBreak{"dp", "peer_lost", {3}, "the first one counts"});
  const FlightDump dump = recorder.dump();
  REQUIRE(dump.entries.size() == 1);
  CHECK(dump.entries[0].state == CollectiveState::kCompleted);
  REQUIRE(dump.broken);
  CHECK(dump.broken->kind == "timeout");
  CHECK(dump.time_ns == frozen);  // it tells how things stood then
}

TEST_CASE("a rank, its communication threads and a dump may come at once") {
  FlightRecorder recorder(0, 64);
  constexpr int kThreads = 4, kCalls = 500;
  std::atomic<int> running = kThreads;
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t)
    threads.emplace_back([&] {
      for (int64_t i = 0; i < kCalls; ++i) {
        const int64_t record = recorder.scheduled(call(i));
        recorder.update(record, CollectiveState::kStarted, i + 1);
        recorder.update(record, i % 10 == 0 ? CollectiveState::kFailed : CollectiveState::kCompleted, i + 2);
      }
      --running;
    });
  bool ordered = true;
  do {
    const FlightDump dump = recorder.dump();
    for (size_t i = 1; i < dump.entries.size(); ++i)
      ordered = ordered && dump.entries[i].record_id == dump.entries[i - 1].record_id + 1;
    ordered = ordered && (dump.entries.empty() || dump.entries[0].record_id == dump.forgotten);
  } while (running > 0);
  for (std::thread& thread : threads) thread.join();
  CHECK(ordered);
  CHECK(recorder.dump().forgotten == kThreads * kCalls - 64);
  for (const FlightEntry& entry : recorder.dump().entries) CHECK(entry.retired);
}
