#include "ringside/flight/recorder.h"

#include <nlohmann/json.hpp>

#include "catch.h"
#include "ringside/base/error.h"
#include "ringside/base/text.h"
#include "ringside/flight/report.h"
#include "situations.h"

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

TEST_CASE("a full ring overwrites the oldest; late news of it, and of calls never made, is ignored") {
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
  FlightRecorder empty(0, 4);
  empty.update(0, CollectiveState::kStarted, 1);
  empty.update(3, CollectiveState::kCompleted, 1);
  empty.update(2, CollectiveState::kFailed, 40);
  CHECK(empty.dump().entries.empty());
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

TEST_CASE("a report is read in ten seconds") {
  CHECK(report_text(merge_flights(one_batch_more())) ==
        R"(Flight recorder, 4 ranks   ■ completed  □ called, not completed  ╎ never called
          dp                 default
 rank 0   ■42 ■43 ■44 ╎      ■7 ■8 ■9 □10
 rank 1   ■42 ■43 ■44 ╎      ■7 ■8 ■9 □10
 rank 2   ■42 ■43 ■44 ╎      ■7 ■8 ■9 □10
▸rank 3   ■42 ■43 ■44 □45    ■7 ■8 ■9 ╎
stuck      dp #45 all_reduce of 8 float32 (gradients, bucket 0)
           COLLECTIVE_STATE_MISMATCH: in it 3, for 1.5 s; not in it 0-2
stuck      default #10 all_gather of 40 float32 (evaluation, logits)
           COLLECTIVE_STATE_MISMATCH: in it 0-2, for 1.5 s; not in it 3
waits for  3 ─dp#45─▸ 0-2 ─default#10─▸ 3
last did   0-3: completed dp #44 all_reduce of 8 float32 (gradients, bucket 0), 1.5 s ago
suspect    rank 3, by majority: more ranks did otherwise, which is no proof
Rank 3 waits in dp #45 for ranks 0, 1 and 2, which wait in default #10 for rank 3: a cycle of
waits, in which rank 3 is alone.
)");
}

TEST_CASE("who is gone is marked, many ranks share rows, a group is shown to its members only") {
  const std::string text = report_text(merge_flights(one_gone()));
  CHECK(text.find("▸rank 2   ■2 ■3 ■4 ?\n") != std::string::npos);
  CHECK(text.find(" rank 3   ■2 ■3 ■4 □5 +2\n") != std::string::npos);
  CHECK(text.find("? left no dump") != std::string::npos);
  CHECK(text.find("2 more queued behind") != std::string::npos);
  CHECK(text.find("suspect    rank 2\n") != std::string::npos);
  Scene scene(64, {"dp"});
  std::vector<int> all, others;
  for (int rank = 0; rank < 64; ++rank) {
    all.push_back(rank);
    if (rank != 17) others.push_back(rank);
  }
  scene.together(all, "dp");
  scene.stuck(others, "dp");
  const std::string many = report_text(merge_flights(scene.end()));
  CHECK(many.find(" ranks 0-16, 18-63   ■0 □1\n") != std::string::npos);
  CHECK(many.find("▸rank 17             ■0 ╎\n") != std::string::npos);
  CHECK(std::count(many.begin(), many.end(), '\n') <= 12);
  CHECK(report_text(merge_flights(a_chain())).find(" rank 0   □0\n") != std::string::npos);
}

TEST_CASE("every situation fits a terminal and is JSON; the watchdog speaks as NCCL's does") {
  for (const Situation& situation : kSituations) {
    INFO(situation.name);
    const FlightReport report = merge_flights(situation.dumps());
    std::istringstream lines(report_text(report));
    int count = 0;
    for (std::string line; std::getline(lines, line); ++count) CHECK(columns(line) <= 98);
    CHECK(count <= 20);
    const auto json = nlohmann::json::parse(report_json(report));
    CHECK(json.at("suspects") == nlohmann::json(report.suspects));
    CHECK(json.at("stuck").size() == report.stuck.size());
    CHECK(json.at("ranks").size() == report.ranks.size());
    CHECK(json.at("mispaired").is_null() == !report.mispaired);
    CHECK(json.at("sentence") == report.sentence);
  }
  FlightEntry entry;
  entry.collective_seq_id = 56731;
  entry.op = Op::kAllReduce;
  entry.elements_in = entry.elements_out = 467019003;
  entry.timeout_ms = 600000;
  CHECK(watchdog_line(6, entry) ==
        "[rank6] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=56731, OpType=ALLREDUCE, "
        "NumelIn=467019003, NumelOut=467019003, Timeout(ms)=600000)");
  const std::vector<std::string> types = {
      "ALLREDUCE", "_REDUCE_SCATTER_BASE", "_ALLGATHER_BASE", "BROADCAST", "ALLTOALL_BASE", "SEND", "RECV",
      "BARRIER"};
  for (size_t op = 0; op < types.size(); ++op) {
    entry.op = static_cast<Op>(op);
    CHECK(watchdog_line(0, entry).find("OpType=" + types[op] + ",") != std::string::npos);
  }
}
