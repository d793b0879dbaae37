// Lines of a log as events: prefixes, interleaved ranks, colours, broken lines, tables.
#include "ringside/autopsy/log.h"
#include "catch.h"
#include "ringside/base/field.h"

using namespace ringside;

namespace {

const std::string kCall =
    "Watchdog caught collective operation timeout: WorkNCCL(SeqNum=5, OpType=ALLREDUCE, NumelIn=8, "
    "NumelOut=8, "
    "Timeout(ms)=600000) ran for 600013 milliseconds before timing out.";

LogEvent only_event(const std::string& text) {
  const Log log = read_log(text, "a.log");
  REQUIRE(log.events.size() == 1);
  return log.events[0];
}

}  // namespace

TEST_CASE("who says a line, by its prefix") {
  const std::pair<std::string, int> kLines[] = {
      {"[rank3]:[E ProcessGroupNCCL.cpp:607] [Rank 1] ", 3},
      {"[default3]:[rank11]:[E ProcessGroupNCCL.cpp:607] [Rank 1] ", 11},
      {"  7: [Rank 1] ", 7},
      {"7: [rank9]: [Rank 1] ", 9},
      {"[1,5]<stderr>:[Rank 1] ", 5},
      {"2024-08-23T22:22:51.873Z stderr F [rank4]:[E] [Rank 1] ", 4},
      {"\x1b[36m(Worker pid=4009)\x1b[0m [rank6]:[E] [Rank 1] ", 6},
      {"  9%|## | 28/296 [29:55<4:48:08][rank2]:[E] [Rank 1] ", 2},
      {"progress 1\rprogress 2\r[rank8]: [Rank 1] ", 8},
      {"[E ProcessGroupNCCL.cpp:737] [Rank 1] ", 1}};
  for (const auto& [prefix, rank] : kLines) {
    const LogEvent event = only_event(prefix + kCall + "\r\n");
    CHECK(event.kind == LogEventKind::kTimeout);
    CHECK(event.rank == rank);
    CHECK(event.call == LoggedCall{"ALLREDUCE", 5, 8, 8, ""});
    CHECK(event.timeout_ms == 600'000);
  }
}

TEST_CASE("which call of which group was the last, by version") {
  const auto progress = [](const std::string& rest) { return only_event("[rank2]:[E] " + rest); };
  LogEvent event = progress(
      "[PG 1 Rank 0] Timeout at NCCL work: 5, last enqueued NCCL work: 9, last completed NCCL work: 4.");
  CHECK(std::tuple(event.rank, event.group, event.call.seq) == std::tuple(2, std::string("1"), int64_t{5}));
  event = progress(
      "[PG ID 0 PG GUID 0(default_pg) Rank 1]  failure detected by watchdog at work sequence id: 5 PG "
      "status: "
      "last enqueued work: 9, last completed work: 4");
  CHECK(event.group == "0(default_pg)");
  CHECK(event.call.seq == 5);
}

TEST_CASE("who lags, behind a prefix that has brackets too") {
  const LogEvent event = only_event(
      "[1,17]<stderr>:   [8, 9] finished collective #1, but didn't join collective #2 (count from 1)");
  CHECK(event.ranks == std::vector<int>{8, 9});
  CHECK(event.call.seq == 2);
}

TEST_CASE("interleaved tracebacks of two ranks") {
  const Log log = read_log(
      "[rank0]: Traceback (most recent call last):\n"
      "[rank1]: Traceback (most recent call last):\n"
      "[rank0]:   File \"/a/train.py\", line 12, in step\n"
      "[rank1]:   File \"/a/data.py\", line 7, in load\n"
      "[rank0]:     loss.backward()\n"
      "[rank1]: KeyError: 'label'\n"
      "[rank0]: torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB.\n",
      "a.log");
  REQUIRE(log.events.size() == 2);
  CHECK(log.events[0].kind == LogEventKind::kException);
  CHECK(std::tuple(log.events[0].rank, log.events[0].line, log.events[0].what, log.events[0].where) ==
        std::tuple(1, int64_t{6}, "KeyError: 'label'", "data.py:7 in load"));
  CHECK(log.events[1].kind == LogEventKind::kOutOfMemory);
  CHECK(log.events[1].where == "train.py:12 in step");
}

TEST_CASE("a line that a terminal has broken") {
  const LogEvent event = only_event(
      "[rank2]:[E] [Rank 2] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=4, Op   \n"
      "Type=BROADCAST, NumelIn=112, Numel\nOut=112, Timeout(ms)=1800000\n) ran for 1800010 milliseconds\n");
  CHECK(event.call == LoggedCall{"BROADCAST", 4, 112, 112, ""});
}

TEST_CASE("torchrun's table, Slurm, stacks and facts") {
  const Log log = read_log(
      "  rank      : 3 (local_rank: 1)\n  exitcode  : -9 (pid: 77)\n"
      "srun: error: node7: task 5: Killed\n"
      "slurmstepd: error: Detected 1 oom_kill event in StepId=1.0.\n"
      "Thread 0x00007f (most recent call first):\n  File \"/x/d.py\", line 3, in all_reduce\n  File "
      "\"/x/t.py\", line 9, in main\n"
      "node:1:2 [0] NCCL INFO comm 0x1 rank 0 nranks 64 cudaDev 0 - Init COMPLETE\nPyTorch version: 2.4.1\n",
      "a.log");
  CHECK(log.world == 64);
  CHECK(log.torch == "2.4.1");
  REQUIRE(log.events.size() == 4);
  CHECK(std::pair(log.events[0].rank, log.events[0].exit_code) == std::pair(3, -9));
  CHECK(std::pair(log.events[1].kind, log.events[1].rank) == std::pair(LogEventKind::kKilled, -1));
  CHECK(only_event("srun: error: node7: task 5: Killed\n").rank == 5);
  CHECK(log.events[2].kind == LogEventKind::kKilled);
  CHECK(log.events[3].where == "d.py:3 in all_reduce; t.py:9 in main");
}

TEST_CASE("a log of many ranks is bounded, however it is cut into pieces") {
  LogReader reader;
  reader.begin_file("a.log");
  for (int rank = 0; rank < 2000; ++rank)
    for (int again = 0; again < 50; ++again) {
      const std::string line = "[rank" + std::to_string(rank) + "]: " + kCall + "\n";
      reader.add(line.substr(0, 30));
      reader.add(line.substr(30));
    }
  reader.add(std::string(100'000, 'x'));
  reader.end_file();
  const Log log = reader.take();
  CHECK(log.lines == 100'000);
  CHECK(log.ranks.size() == 2000);
  CHECK(log.events.size() == 16'000);  // of 100,000: eight alike
}
