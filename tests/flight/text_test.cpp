#include <sstream>
#include <string>

#include <nlohmann/json.hpp>

#include "catch.h"
#include "ringside/base/text.h"
#include "ringside/flight/report.h"
#include "situations.h"

using namespace ringside;

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

TEST_CASE("a rank that is gone and calls that queue are marked") {
  const std::string text = report_text(merge_flights(one_gone()));
  CHECK(text.find("▸rank 2   ■2 ■3 ■4 ?\n") != std::string::npos);
  CHECK(text.find(" rank 3   ■2 ■3 ■4 □5 +2\n") != std::string::npos);
  CHECK(text.find("? left no dump") != std::string::npos);
  CHECK(text.find("2 more queued behind") != std::string::npos);
  CHECK(text.find("suspect    rank 2\n") != std::string::npos);
}

TEST_CASE("many ranks share rows, and a group is shown to its members only") {
  Scene scene(64, {"dp"});
  std::vector<int> all, others;
  for (int rank = 0; rank < 64; ++rank) {
    all.push_back(rank);
    if (rank != 17) others.push_back(rank);
  }
  scene.together(all, "dp");
  scene.stuck(others, "dp");
  const std::string text = report_text(merge_flights(scene.end()));
  CHECK(text.find(" ranks 0-16, 18-63   ■0 □1\n") != std::string::npos);
  CHECK(text.find("▸rank 17             ■0 ╎\n") != std::string::npos);
  CHECK(std::count(text.begin(), text.end(), '\n') <= 12);
  CHECK(report_text(merge_flights(a_chain())).find(" rank 0   □0\n") != std::string::npos);
}

TEST_CASE("every situation fits a terminal and is a JSON document") {
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
}

TEST_CASE("the watchdog speaks as NCCL's does") {
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
